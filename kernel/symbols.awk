# SPDX-License-Identifier: BSD-2-Clause
# Turns `nm -n` of the kernel into the table that kernel/symbols.c searches. Names that begin with two
# underscores are linker.ld's and no functions.
BEGIN {
    print "section .symbols alloc noexec nowrite progbits align=8"
    print "global kernel_symbols, kernel_symbols_count"
}
$2 ~ /^[Tt]$/ && $3 !~ /^__/ {
    address[n] = $1
    name[n++] = $3
}
END {
    printf "kernel_symbols_count: dq %d\nkernel_symbols:\n", n
    # The low halves of addresses: all are in the top 2 GiB.
    for (i = 0; i < n; i++)
        printf "\tdd 0x%s\n\tdb \"%s\", 0\n", substr(address[i], 9), name[i]
    print "section .note.GNU-stack noalloc noexec nowrite progbits"
}
