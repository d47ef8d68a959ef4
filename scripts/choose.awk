# Chooses case ids for scripts/conform.sh. Input: words of .ci/cases for one
# area. Variables: ids, a file with the suite's ids of the area, one a line;
# listed, "yes" when the area stands in .ci/areas. Output: ids joined by commas.
# A word that matches no case is an error: a list must not rot unseen.

BEGIN {
	while ((getline line < ids) > 0) order[++known] = line
	for (i = 1; i <= known; i++) chosen[order[i]] = (listed == "yes")
}

{
	for (f = 1; f <= NF; f++) {
		word = $f
		sub(/,$/, "", word)
		keep = sub(/^-/, "", word) ? 0 : 1
		if (!mark(word, keep)) {
			print "conform: .ci/cases: no case matches " $f > "/dev/stderr"
			broken = 1
		}
	}
}

END {
	if (broken) exit 1
	out = ""
	for (i = 1; i <= known; i++)
		if (chosen[order[i]]) out = out (out == "" ? "" : ",") order[i]
	if (out == "") {
		print "conform: no case is left to run" > "/dev/stderr"
		exit 1
	}
	print out
}

# mark sets the choice for an id or a range A..B and returns how many it met.
function mark(word, keep,    ends, n, i, met) {
	n = split(word, ends, /\.\./)
	met = 0
	for (i = 1; i <= known; i++) {
		if (n == 1 ? order[i] == word : within(order[i], ends[1], ends[2])) {
			chosen[order[i]] = keep
			met++
		}
	}
	return met
}

# within reports whether id lies from first to last: the same letters in front,
# the number behind them in between.
function within(id, first, last) {
	return stem(id) == stem(first) && number(id) >= number(first) && number(id) <= number(last)
}

function stem(id) { sub(/[0-9]+$/, "", id); return id }
function number(id) { match(id, /[0-9]+$/); return substr(id, RSTART) + 0 }
