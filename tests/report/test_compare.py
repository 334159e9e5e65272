# SPDX-License-Identifier: BSD-2-Clause
"""compare: noise is no difference, a difference is none too small where nothing varies."""

import re
import tarfile

import pytest
from conftest import DATA, report
from make_log import Log

COUNTS = re.compile(r"(\d+) rows?: (\d+) slower, (\d+) faster(?:, \d+ differ)?, (\d+) without")


def counts(done):
    """Rows in all, slower, faster, without a difference."""
    assert done.returncode in (0, 1), done.stderr
    return [int(n) for n in COUNTS.search(done.stdout).groups()]


def changed(done):
    """Names and verdicts of the rows that differ."""
    return re.findall(r"^(\S+)  .* (slower|faster|differs)$", done.stdout, re.M)


@pytest.fixture(scope="module")
def boots(tmp_path_factory):
    """Boots of one image in a row (collect.sh): their logs by the emulator."""
    place = tmp_path_factory.mktemp("boots")
    with tarfile.open(DATA / "boots.tar.xz") as archive:
        archive.extractall(place)
    logs = {kind: sorted(place.glob(f"{kind}-*.log")) for kind in ("tcg", "icount", "bochs")}
    assert [len(some) for some in logs.values()] == [40, 3, 3]
    return logs


def share_without_difference(pairs):
    rows = same = 0
    for a, b in pairs:
        done = report("compare", "--changed", *a, "--", *b)
        count = counts(done)
        rows += count[0]
        same += count[3]
    return rows, same / rows


@pytest.mark.parametrize("distance", [1, 20])
def test_twenty_pairs_of_the_same_image_do_not_differ(boots, distance):
    """Neighbours, and boots far apart: QEMU with TCG threads, on a shared host."""
    starts = range(0, 40, 2) if distance == 1 else range(20)
    logs = boots["tcg"]
    rows, share = share_without_difference([[[logs[i]], [logs[i + distance]]] for i in starts])
    print(f"20 pairs of boots, {distance} apart: {rows} rows, {share:.1%} without a difference")
    assert rows > 1000
    assert share >= 0.95


def test_several_runs_of_the_same_image_do_not_differ(boots):
    """Taken in turns, as the manual says: four of each, and two, which are too few to test."""
    logs = boots["tcg"]
    fours = [(logs[i : i + 8 : 2], logs[i + 1 : i + 9 : 2]) for i in range(0, 40, 8)]
    twos = [(logs[i : i + 4 : 2], logs[i + 1 : i + 5 : 2]) for i in range(0, 40, 4)]
    for name, pairs in (("4 and 4", fours), ("2 and 2", twos)):
        rows, share = share_without_difference(pairs)
        print(f"{name} boots: {rows} rows, {share:.1%} without a difference")
        assert share >= 0.95


@pytest.mark.parametrize("kind", ["icount", "bochs"])
def test_boots_in_simulated_time_do_not_differ_in_a_row(boots, kind):
    """In Bochs, whose tick is some instructions long, they do by a tick."""
    logs = boots[kind]
    rows, share = share_without_difference([[[a], [b]] for a, b in zip(logs, logs[1:])])
    print(f"{kind}: {rows} rows, {share:.1%} without a difference")
    assert rows > 100
    assert share == 1


def steady(change=None, spread=0, hypervisor="TCGTCGTCGTCG", **more):
    """Twenty rows; `change` makes some dearer, by name."""
    log = Log(hypervisor=hypervisor)
    for i in range(20):
        name = f"self/nop-{i}"
        log.bench(name, 100 * (change or {}).get(name, 1), spread, **more)
    return log


def write(tmp_path, name, log):
    return log.write(tmp_path / name)


def test_where_nothing_varies_two_ticks_are_a_difference(tmp_path):
    """One may be that of a section that began elsewhere between two."""
    a = write(tmp_path, "a", steady())
    b = write(tmp_path, "b", steady({"self/nop-7": 1.1, "self/nop-9": 0.98, "self/nop-11": 1.01}))
    done = report("compare", a, b)
    assert done.returncode == 1
    assert changed(done) == [("nop-7", "slower"), ("nop-9", "faster")]
    assert "x1.100  [1.090, 1.111]" in done.stdout
    assert "from boot to boot: none, as no row varies" in done.stdout
    assert report("compare", "--threshold", "10", a, b).returncode == 0
    assert report("compare", "--threshold", "9.9", a, b).returncode == 1


def test_a_counter_that_goes_by_steps_is_known_by_them(tmp_path):
    """As AMD's does: a median of 3 steps or 4 may be one section's."""

    def stepping(medians):
        log = Log()
        for i, median in enumerate(medians):
            log.bench(f"local/{i}", (median - 1) * 36, 36, baseline=36)
            record = log.records[-1]
            for key in ("min", "p5", "p25", "p75", "p95", "p99", "max"):
                record[key] = median * 36
            record["max"] += 36
            record["ci"] = [record["p50"]] * 2
        return log

    a = write(tmp_path, "a", stepping([3, 30, 40, 50, 60, 70]))
    b = write(tmp_path, "b", stepping([4, 30, 40, 50, 60, 70]))
    assert counts(report("compare", a, b)) == [6, 0, 0, 6]
    c = write(tmp_path, "c", stepping([5, 30, 40, 50, 60, 70]))
    assert counts(report("compare", a, c)) == [6, 1, 0, 5]


def test_few_equal_samples_are_not_exact(tmp_path):
    for n, expected in ((9, [20, 0, 0, 20]), (10, [20, 20, 0, 0])):
        logs = []
        for name, sign in (("a", 0), ("b", 1)):
            log = steady({f"self/nop-{i}": 1 + sign * (2 + i % 3) / 100 for i in range(20)})
            for record in log.records[2:]:
                record["n"] = n
            logs.append(write(tmp_path, name, log))
        assert counts(report("compare", *logs)) == expected


def test_what_the_spread_hides_is_no_difference(tmp_path):
    a = write(tmp_path, "a", steady(spread=20, hypervisor="none"))
    b = write(tmp_path, "b", steady({"self/nop-7": 1.1}, 20, "none"))
    assert counts(report("compare", a, b)) == [20, 0, 0, 20]
    c = write(tmp_path, "c", steady({"self/nop-7": 1.5}, 20, "none"))
    assert changed(report("compare", a, c)) == [("nop-7", "slower")]


def test_what_all_rows_do_is_drift_within_limits(tmp_path):
    def all_by(factor):
        return {f"self/nop-{i}": factor for i in range(20)}

    a = write(tmp_path, "a", steady(spread=1, hypervisor="none"))
    b = write(tmp_path, "b", steady(all_by(1.15), 1, "none"))
    done = report("compare", a, b)
    assert counts(done) == [20, 0, 0, 20]
    assert "the machine drifts, or they have changed" in done.stdout
    # No machine moves as far as that by itself.
    c = write(tmp_path, "c", steady(all_by(1.4), 1, "none"))
    assert counts(report("compare", a, c)) == [20, 20, 0, 0]
    # An emulator does.
    d = write(tmp_path, "d", steady(spread=1))
    e = write(tmp_path, "e", steady(all_by(1.4), 1))
    assert counts(report("compare", d, e)) == [20, 0, 0, 20]


def test_few_rows_can_not_tell_the_drift(tmp_path):
    logs = []
    for name, net in (("a", 100), ("b", 115), ("c", 300)):
        log = Log()
        log.bench("local/invlpg-4k", net, 1)
        logs.append(write(tmp_path, name, log))
    done = report("compare", logs[0], logs[1])
    assert counts(done) == [1, 0, 0, 1]
    assert "x1.25 is supposed, as 1 row that varies can't tell" in done.stdout
    assert counts(report("compare", logs[0], logs[2])) == [1, 1, 0, 0]


def test_few_rows_that_stay_do_not_tell_that_others_would(tmp_path):
    logs = []
    for name, net in (("a", 100), ("b", 110)):
        log = Log()
        log.bench("local/x", net, 1)
        log.bench("local/y", 100, 1)
        log.bench("local/z", 100, 1)
        logs.append(write(tmp_path, name, log))
    assert counts(report("compare", *logs)) == [3, 0, 0, 3]


def runs(tmp_path, name, factor, n):
    """Runs of a machine that moves by a percent or two from boot to boot."""
    return [
        write(
            tmp_path,
            f"{name}{i}",
            steady({f"self/nop-{j}": (factor if j == 3 else 1) * (1 + (i * 7 + j * 3) % 5 / 200)
                    for j in range(20)}, 1, "none"),
        )
        for i in range(n)
    ]


def test_several_runs_find_what_one_can_not(tmp_path):
    a, b = runs(tmp_path, "a", 1, 5), runs(tmp_path, "b", 1.04, 5)
    assert changed(report("compare", a[0], b[1])) == []
    done = report("compare", *a, "--", *b)
    assert changed(done) == [("nop-3", "slower")]
    assert "5 runs of A, 5 of B: a row differs where the 95% interval" in done.stdout
    few = report("compare", *a[:3], "--", *b[:3])
    assert "3 runs of A, 3 of B, too few for a tested 95% interval" in few.stdout


def test_runs_that_were_not_taken_in_turns_are_told(tmp_path):
    def lot(name, hours):
        logs = []
        for hour in hours:
            log = Log(date=f"2026-12-01T{hour:02}:00:00")
            log.bench("local/a", 100 + hour % 3, 1)
            logs.append(write(tmp_path, f"{name}{hour}", log))
        return logs

    before, after = lot("a", range(0, 4)), lot("b", range(4, 8))
    told = "All runs of one side came before those of the other"
    assert told in report("compare", *before, "--", *after).stdout
    turns = before[::2] + after[::2], before[1::2] + after[1::2]
    assert told not in report("compare", *turns[0], "--", *turns[1]).stdout


def test_of_a_rate_more_is_better(tmp_path):
    logs = []
    for name, value in (("a", 1000.5), ("b", 2000.5)):
        log = Log()
        log.add("rate", name="shootdown/loops", params={"cpus": 2}, unit="loops/s", value=value,
                rounds=9, ci=[value, value], ipis=1, invlpgbs=0)
        logs.append(write(tmp_path, name, log))
    assert changed(report("compare", *logs)) == [("loops", "faster")]
    done = report("compare", *reversed(logs))
    assert changed(done) == [("loops", "slower")]
    assert done.returncode == 1


def test_modelled_and_missing_rows_are_marked(tmp_path):
    a, b = Log(), Log()
    for log in (a, b):
        log.bench("broadcast/invlpgb", 1, modelled=True)
        log.records[-1].update({"p50": None, "net": None, "ci": None, "baseline": None})
        log.bench("local/both", 500)
    a.bench("local/only-here", 5)
    b.bench("local/only-there", 5)
    done = report("compare", write(tmp_path, "a", a), write(tmp_path, "b", b))
    assert re.search(r"^invlpgb .*modelled$", done.stdout, re.M)
    assert re.search(r"^only-here .*only in A$", done.stdout, re.M)
    assert re.search(r"^only-there .*only in B$", done.stdout, re.M)
    assert done.returncode == 0


def test_changed_groups_come_first_and_changed_rows_in_them(tmp_path):
    def log(net):
        out = Log()
        out.bench("local/a", 100)
        out.bench("switch/b", 100)
        out.bench("switch/c", net)
        return out

    done = report("compare", write(tmp_path, "a", log(100)), write(tmp_path, "b", log(50)))
    at = [done.stdout.index(text) for text in ("switch/ ", "\nc ", "\nb ", "local/ ", "\na ")]
    assert at == sorted(at)


def test_what_differs_in_the_machines_is_on_top(tmp_path):
    logs = []
    for name, microcode, features in (("a", 1, ["pcid", "pge"]), ("b", 2, ["pge", "tce"])):
        log = Log(cmdline=f"seed={microcode}", firmware="UEFI 2.7")
        log.add("cpu", brand="CPU", microcode=microcode, features=features)
        log.bench("local/a", 100)
        logs.append(write(tmp_path, name, log))
    top = report("compare", *logs).stdout.split("\n\n")[0]
    assert re.search(r"^microcode +0x1 +0x2$", top, re.M)
    assert re.search(r"^features +pcid +tce$", top, re.M)
    assert re.search(r"^cmdline +seed=1 +seed=2$", top, re.M)
    assert "firmware" not in top


def test_two_clocks_are_compared_in_ns(tmp_path):
    logs = []
    for name, hz in (("a", 2 * 10**9), ("b", 4 * 10**9)):
        log = Log(tsc_hz=hz)
        log.bench("local/a", 100 if name == "a" else 200)
        logs.append(write(tmp_path, name, log))
    done = report("compare", *logs)
    assert counts(done) == [1, 0, 0, 1]
    assert re.search(r"^TSC MHz +2000.0 +4000.0$", done.stdout, re.M)
    assert counts(report("compare", "--unit", "ticks", *logs)) == [1, 1, 0, 0]


def test_checks_with_another_result_are_told(tmp_path):
    logs = []
    for name, result in (("a", "pass"), ("b", "fail")):
        log = Log()
        log.check("stale/a", result)
        log.check("stale/b", "pass")
        logs.append(write(tmp_path, name, log))
    done = report("compare", *logs)
    assert re.search(r"^stale/a +pass +fail$", done.stdout, re.M)
    assert "stale/b" not in done.stdout


def test_a_damaged_side_is_told(tmp_path):
    a = write(tmp_path, "a", steady())
    cut = tmp_path / "cut"
    cut.write_text(a.read_text()[:3000])
    done = report("compare", a, cut)
    assert done.returncode == 2
    assert "there is no end" in done.stderr


def test_core_cycles_are_compared_by_their_own_figures(tmp_path):
    """Not by what the TSC makes of them: the two have samples and baselines of their own."""
    a, b = Log(), Log()
    for log, net in ((a, 300), (b, 600)):
        for i in range(8):
            log.bench(f"local/{i}", 1000)
            core = {"n": 64, "p50": net + 100, "baseline": 100, "net": net}
            log.records[-1]["core"] = {**core, "ci": [net + 99, net + 101]}
    done = report(
        *("compare", "--unit", "core"), write(tmp_path, "a", a), write(tmp_path, "b", b)
    )
    assert re.search(r"^0 .*\b300 +600 +x2\.000 .*slower", done.stdout, re.M), done.stdout
    assert done.returncode == 1


def test_more_runs_do_not_make_the_counter_finer(tmp_path):
    paths = []
    for name, net in (("a", 100), ("b", 101), ("c", 103)):
        log = Log(hypervisor="TCGTCGTCGTCG")
        for i in range(6):
            log.bench(f"local/{i}", net + i)
        paths.append(write(tmp_path, name, log))
    a, b, c = paths
    same = report("compare", *[a] * 4, "--", *[b] * 4)
    assert "6 rows: 0 slower, 0 faster, 6 without a difference" in same.stdout, same.stdout
    assert same.returncode == 0
    assert "6 rows: 6 slower" in report("compare", *[a] * 4, "--", *[c] * 4).stdout


def test_nothing_to_compare_is_no_success(tmp_path):
    a, b = Log(), Log()
    a.bench("local/here", 5)
    b.bench("local/there", 5)
    a, b = write(tmp_path, "a", a), write(tmp_path, "b", b)
    done = report("compare", a, b)
    assert done.returncode == 2
    assert "nothing to compare: no row is in both" in done.stderr
    done = report("compare", "--match", "locl/*", a, a)
    assert done.returncode == 2
    assert "nothing to compare: nothing matches 'locl/*'" in done.stderr
    assert report("compare", a, a).returncode == 0


def test_a_check_that_fails_anew_fails_the_comparison(tmp_path):
    a, b = Log(), Log()
    for log, result in ((a, "pass"), (b, "fail")):
        log.bench("local/both", 500)
        log.check("stale/x", result)
        log.check("stale/y", "pass" if result == "fail" else "skip")
    for i in range(50):
        a.check(f"fault/{i}", "pass")
    a, b = write(tmp_path, "a", a), write(tmp_path, "b", b)
    done = report("compare", a, b)
    lines = done.stdout.splitlines()
    assert done.returncode == 1
    assert lines.index("stale/x  pass  fail") < lines.index("stale/y  skip  pass")
    assert "52 checks: 2 with another result, 0 with the same; 50 only in A, 0 only in B" in lines
    assert report("compare", b, a).returncode == 0
    only = report("compare", "--match", "local/*", a, b)
    assert only.returncode == 0
    assert "stale/" not in only.stdout


def test_a_net_of_nothing_is_judged_by_the_whole_section(tmp_path):
    """From 0 to 2 of 102 ticks is no slowdown without end."""
    paths = []
    for name, net in (("a", 0), ("b", 2)):
        log = Log(hypervisor="TCGTCGTCGTCG")
        for i in range(6):
            log.bench(f"self/{i}", net, baseline=100 + i)
        paths.append(write(tmp_path, name, log))
    done = report("compare", *paths)
    assert done.returncode == 0, done.stdout
    assert report("compare", "--threshold", "1", *paths).returncode == 1


def test_core_cycles_are_compared_by_their_own_samples(tmp_path):
    """Not by those of the TSC times a quotient: here those are the same, and exact."""

    def logs(name, cores):
        log = Log()
        for i, (net, p50) in enumerate(cores):
            log.bench(f"local/{i}", 100, 0, baseline=20)
            core = {"n": 100, "p50": p50, "ci": [p50 - 1, p50 + 1], "baseline": p50 - net}
            log.records[-1]["core"] = {**core, "net": net}
        return write(tmp_path, name, log)

    a = logs("a", [(300, 400)] * 8)
    b = logs("b", [(300, 400)] * 7 + [(600, 700)])
    done = report("compare", "--unit", "core", a, b)
    assert re.search(r"^7 +300 +600 +x2.000 .* slower$", done.stdout, re.M)
    assert re.search(r"^6 +300 +300 +x1.000 ", done.stdout, re.M)
    assert counts(done) == [8, 1, 0, 7]
    assert "taken from the 8 rows that vary" in done.stdout


def lots(tmp_path, a, b):
    """Four runs of each side with one row."""
    sides = []
    for side, net in (("a", a), ("b", b)):
        sides.append([])
        for i in range(4):
            log = Log()
            log.bench("local/x", net)
            sides[-1].append(write(tmp_path, f"{side}{i}", log))
    return *sides[0], "--", *sides[1]


@pytest.mark.parametrize("nets, slower", [((100, 101), 0), ((100, 102), 1), ((1, 2), 0),
                                          ((1, 3), 1), ((0, 1), 0), ((0, 2), 1)])
def test_a_step_between_tied_runs_is_no_difference(tmp_path, nets, slower):
    assert counts(report("compare", *lots(tmp_path, *nets)))[1] == slower
    done = report("compare", *lots(tmp_path, *reversed(nets)))
    assert counts(done)[2] == slower
    assert report("compare", "--unit", "ns", *lots(tmp_path, *nets)).returncode in (0, 1)


def test_a_tied_shift_has_an_interval_of_a_step(tmp_path):
    done = report("compare", *lots(tmp_path, 100, 110))
    assert "x1.100  [1.090, 1.110]  slower" in done.stdout


@pytest.mark.parametrize("b, threshold, status", [(2, 5, 1), (2, 10, 0), (1000, 10, 1)])
def test_at_zero_the_threshold_is_of_what_was_measured(tmp_path, b, threshold, status):
    """21 ticks and 23, of which 21 are the empty section."""
    logs = []
    for name, net in (("a", 0), ("b", b)):
        log = Log()
        log.bench("local/zero", net)
        log.bench("local/x", 500)
        logs.append(write(tmp_path, name, log))
    done = report("compare", "--threshold", threshold, *logs)
    assert changed(done) == [("zero", "slower")]
    assert done.returncode == status


def test_lateness_below_zero_counts_for_no_threshold(tmp_path):
    logs = []
    for name, net in (("a", -100), ("b", -50)):
        log = Log()
        log.bench("timer/one-shot-late", net, baseline=0)
        logs.append(write(tmp_path, name, log))
    done = report("compare", *logs)
    assert changed(done) == [("one-shot-late", "slower")]
    assert done.returncode == 0


def with_checks(tmp_path, name, **results):
    log = Log()
    for check, result in results.items():
        log.check(f"stale/{check}", result, f"why {check}", page="4k")
    log.bench("local/a", 100)
    return write(tmp_path, name, log)


def test_checks_are_told_by_what_changed_fails_first(tmp_path):
    a = with_checks(tmp_path, "a", one="skip", two="pass", three="pass", gone="pass", old="fail")
    b = with_checks(tmp_path, "b", one="pass", two="fail", three="pass", new="fail", newer="pass")
    done = report("compare", a, b)
    assert re.search(r"^stale/two +page=4k +pass +fail +why two\nstale/one ", done.stdout, re.M)
    assert "7 checks: 2 with another result, 1 with the same; 2 only in A (1 failed), " \
           "2 only in B (1 failed)" in done.stdout
    assert "absent" not in done.stdout and "gone" not in done.stdout


def test_match_is_for_checks_too(tmp_path):
    a = with_checks(tmp_path, "a", one="pass", two="pass")
    b = with_checks(tmp_path, "b", one="fail", two="fail")
    done = report("compare", "--match", "stale/one", a, b)
    assert "stale/one" in done.stdout and "stale/two" not in done.stdout
    assert done.returncode == 1
    assert report("compare", "--match", "local/*", a, b).returncode == 0


@pytest.mark.parametrize(
    "a, b, status",
    [("pass", "fail", 1), ("xfail", "fail", 1), ("fail", "fail", 0), ("fail", "pass", 0),
     ("skip", "fail", 0), ("pass", "skip", 0)],
)
def test_a_check_that_fails_now_is_a_failure(tmp_path, a, b, status):
    logs = with_checks(tmp_path, "a", one=a), with_checks(tmp_path, "b", one=b)
    done = report("compare", *logs)
    assert done.returncode == status
    assert ("1 check that passed fails" in done.stdout) == (status == 1)


def test_a_match_that_matches_nothing_is_an_error(tmp_path):
    a = write(tmp_path, "a", steady())
    done = report("compare", "--match", "nowhere/*", a, a)
    assert done.returncode == 2
    assert "nothing to compare: nothing matches 'nowhere/*'" in done.stderr
    assert "rows that vary" not in done.stdout


def test_logs_without_a_row_in_common_are_not_the_same(tmp_path):
    logs = []
    for name in ("a", "b"):
        log = Log()
        log.bench(f"local/{name}", 1)
        logs.append(write(tmp_path, name, log))
    done = report("compare", *logs)
    assert done.returncode == 2
    assert "no row is in both" in done.stderr
    done = report("compare", "--unit", "core", logs[0], logs[0])
    assert done.returncode == 2
    assert "no row has a figure in that unit in both" in done.stderr


def test_each_kind_of_row_has_a_table_with_its_unit(tmp_path, types_log):
    done = report("compare", types_log, types_log)
    assert "local/  ticks, less those of the empty section; mode=latency page=4k" in done.stdout
    assert "shootdown/  rates, more is better" in done.stdout
    assert re.search(r"^loops +cpus=2 +424000 +424000 +loops/s +x1.000", done.stdout, re.M)
    assert "local/  % of TLB entries that outlived a flush of others" in done.stdout
    assert re.search(r"^pairs row 0 +1150 +1150 +ticks +x1.000", done.stdout, re.M)
    assert "In ticks" not in done.stdout


def test_words_are_plain(tmp_path):
    a, b = write(tmp_path, "a", steady()), write(tmp_path, "b", steady({"self/nop-7": 2}))
    said = report("compare", a, b).stdout
    assert "1 slower by more than 5% (--threshold)" in said
    assert "1 run of A, 1 of B, too few" in said
    log = Log()
    log.bench("local/x", 100)
    one = write(tmp_path, "one", log)
    assert "\n1 row: 0 slower" in report("compare", one, one).stdout
    assert "none at all" not in report("compare", *lots(tmp_path, 1, 2)).stdout


def test_rows_that_few_runs_have_are_marked(tmp_path):
    logs = []
    for i in range(8):
        log = Log()
        log.bench("local/all", 100)
        if i % 4 < 2:
            log.bench("local/some", 100)
        logs.append(write(tmp_path, str(i), log))
    said = report("compare", *logs[:4], "--", *logs[4:]).stdout
    assert re.search(r"^some .* too few runs have it$", said, re.M)
    assert re.search(r"^all .*\]$", said, re.M)


def test_rows_that_move_alike_are_told(tmp_path):
    def all_by(factor, but=()):
        return {f"self/nop-{i}": factor for i in range(20) if i not in but}

    a = write(tmp_path, "a", steady(spread=1, hypervisor="none"))
    b = write(tmp_path, "b", steady(all_by(1.15), 1, "none"))
    told = "All rows moved alike, by x1.150, as a frequency would."
    assert told in report("compare", a, b).stdout
    c = write(tmp_path, "c", steady(all_by(1.15, range(5)), 1, "none"))
    for log in (a, c):
        assert "moved alike" not in report("compare", a, log).stdout


def test_eighty_columns_have_the_interval(tmp_path):
    """Parameters that a whole table shares stand above it."""
    logs = []
    for name in ("a", "b"):
        log = Log()
        for mode, unroll in (("latency", {}), ("throughput", {"unroll": 16})):
            for i in range(3):
                params = {"live": i, "page": "4k", "mode": mode, "others": "hlt", **unroll}
                log.bench(f"local/invlpg-non-canonical-{i % 2}", 123456, 50, params=params)
        log.bench("local/range", 5, params={"live": 0, "mode": "latency", "others": "hlt"})
        logs.append(write(tmp_path, name, log))
    said = report("compare", "--width", "80", *logs).stdout
    table = said[said.index("local/  "):].split("\n\n")[0].split("\n")
    assert "others=hlt unroll=16; mode=latency unless given" in table[0]
    assert sum("x1.000  [" in line for line in table) == 7
    assert all(len(line) <= 80 for line in table[1:])
    assert "emulated" not in said


def test_an_emulator_on_one_side_only_is_told(tmp_path):
    logs = [write(tmp_path, kind, steady(hypervisor=kind)) for kind in ("none", "TCGTCGTCGTCG")]
    told = "One side's times are an emulator's, the other's a CPU's."
    assert told in report("compare", *logs).stdout
    assert told not in report("compare", logs[1], logs[1]).stdout
