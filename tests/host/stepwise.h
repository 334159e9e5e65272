/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stops real functions after each of their atomic accesses. What is included after this makes its
 * accesses here: the function is called again for every step, is told what its earlier accesses
 * returned, makes one more and is cut off. Its variables on the stack are of no account then: it
 * may change nothing else but by atomic accesses.
 *
 * What accesses returned is kept in bytes. The includer defines LOG_MAX: how many of them one function
 * makes.
 */
#ifndef TESTS_HOST_STEPWISE_H
#define TESTS_HOST_STEPWISE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "mm/space_users.h"

/* The call that is under way. */
static struct {
	uint8_t *log, *logged;
	uint8_t at;
	bool stepped, cut;
} call;

/* True: this access is to be made now. Else *result is what it returned, or is of no account. */
static bool makes_access(uint64_t *result)
{
	if (call.at < *call.logged) {
		*result = call.log[call.at++];
		return false;
	}
	*result = 0;
	call.cut = call.stepped;
	call.stepped = true;
	return !call.cut;
}

/* A byte holds every value: the owner's two special ones are the ends of 8 bits as of 32. */
static void keep(uint64_t result)
{
	assert(*call.logged < LOG_MAX);
	call.log[(*call.logged)++] = (uint8_t)result;
	call.at++;
}

static uint64_t widen(uint64_t value, size_t size)
{
	return size == sizeof(uint32_t) && value >= (uint8_t)OWNER_MANY ? value | 0xffffff00
									: value;
}

static inline uint64_t model_load(const void *at, size_t size)
{
	uint64_t value;

	if (makes_access(&value)) {
		memcpy(&value, at, size);
		keep(value);
	}
	return widen((uint8_t)value, size);
}

static inline void model_store(void *at, size_t size, uint64_t value)
{
	uint64_t unused;

	if (!makes_access(&unused))
		return;
	memcpy(at, &value, size);
	keep(0);
}

static inline uint64_t model_add(uint64_t *at, uint64_t value)
{
	uint64_t sum;

	if (makes_access(&sum)) {
		sum = *at += value;
		keep(sum);
	}
	return sum;
}

static inline void model_or(uint64_t *at, uint64_t bits)
{
	uint64_t unused;

	if (!makes_access(&unused))
		return;
	*at |= bits;
	keep(0);
}

static inline void model_and(uint64_t *at, uint64_t bits)
{
	uint64_t unused;

	if (!makes_access(&unused))
		return;
	*at &= bits;
	keep(0);
}

static inline bool model_exchange_if(uint32_t *at, uint32_t *expected, uint32_t desired)
{
	uint64_t value;
	uint32_t was;

	if (makes_access(&value)) {
		value = *at;
		if (*at == *expected)
			*at = desired;
		keep(value);
	}
	was = (uint32_t)widen((uint8_t)value, sizeof(was));
	if (was == *expected)
		return true;
	*expected = was;
	return false;
}

/* Before each call of the function: what it did in those before. */
static inline void steps_begin(uint8_t *log, uint8_t *logged)
{
	call.log = log;
	call.logged = logged;
	call.at = 0;
	call.stepped = call.cut = false;
}

#define __atomic_load_n(at, order)          ((__typeof__(*(at)))model_load((at), sizeof(*(at))))
#define __atomic_store_n(at, value, order)  model_store((at), sizeof(*(at)), (value))
#define __atomic_add_fetch(at, n, order)    model_add((at), (n))
#define __atomic_fetch_or(at, bits, order)  model_or((at), (bits))
#define __atomic_fetch_and(at, bits, order) model_and((at), (bits))
#define __atomic_compare_exchange_n(at, expected, desired, weak, order, order_failed) \
	model_exchange_if((at), (expected), (desired))

#endif
