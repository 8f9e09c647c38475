-- metric latency | promincrease | stats n=sum(count), s=sum(sum), p=p50(value), q=p75(value)
WITH ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(c165)], [sumOrNull(c165)])[1], 0.) AS c168,
  ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(c166)], [sumOrNull(c166)])[1], 0.) AS c169,
  arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2.1, arrayMap((n, z) -> n - z, q.2.1, q.2.2), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2.1), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2.1, q.2.2), q.1.4), [arrayMap(q -> (q, if(arrayAll((v, w) -> w.1 >= v.2 OR (w.1 = v.1 AND w.2 = v.2), arrayPopBack(arraySort(v -> (v.1, v.2), q.1)), arrayPopFront(arraySort(v -> (v.1, v.2), q.1))), arrayMap(e -> (arrayFilter((n, l) -> l, arrayCumSum(e -> e.2, e), arrayResize(arrayPushBack(arrayMap((e, f) -> e.1 != f.1, arrayPopBack(e), arrayPopFront(e)), true), length(e))), arrayMap(z -> arrayMap((a, b) -> a - b, z, arrayPopBack(arrayPushFront(z, 0.))), [arrayFilter((n, l) -> l, arrayCumSum(e -> e.3, e), arrayResize(arrayPushBack(arrayMap((e, f) -> e.1 != f.1, arrayPopBack(e), arrayPopFront(e)), true), length(e)))])[1]), [arraySort(e -> e.1, arrayConcat(arrayMap(v -> (v.1, 0., 0.), q.1), arrayMap(v -> (v.2, v.3, if(v.1 = v.2, v.3, 0.)), q.1)))])[1], (arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)))), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayMap(y -> y + 0., arrayConcat(q.1.1, q.1.2)))), 0.5 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(mapSort(k)), mapValues(mapSort(c))), o), [anyMap(c156)], [sumForEachMap(c167)], [quantileExactInclusiveOrNull(0.5)(c164)])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c170,
  arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2.1, arrayMap((n, z) -> n - z, q.2.1, q.2.2), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2.1), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2.1, q.2.2), q.1.4), [arrayMap(q -> (q, if(arrayAll((v, w) -> w.1 >= v.2 OR (w.1 = v.1 AND w.2 = v.2), arrayPopBack(arraySort(v -> (v.1, v.2), q.1)), arrayPopFront(arraySort(v -> (v.1, v.2), q.1))), arrayMap(e -> (arrayFilter((n, l) -> l, arrayCumSum(e -> e.2, e), arrayResize(arrayPushBack(arrayMap((e, f) -> e.1 != f.1, arrayPopBack(e), arrayPopFront(e)), true), length(e))), arrayMap(z -> arrayMap((a, b) -> a - b, z, arrayPopBack(arrayPushFront(z, 0.))), [arrayFilter((n, l) -> l, arrayCumSum(e -> e.3, e), arrayResize(arrayPushBack(arrayMap((e, f) -> e.1 != f.1, arrayPopBack(e), arrayPopFront(e)), true), length(e)))])[1]), [arraySort(e -> e.1, arrayConcat(arrayMap(v -> (v.1, 0., 0.), q.1), arrayMap(v -> (v.2, v.3, if(v.1 = v.2, v.3, 0.)), q.1)))])[1], (arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)))), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayMap(y -> y + 0., arrayConcat(q.1.1, q.1.2)))), 0.75 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(mapSort(k)), mapValues(mapSort(c))), o), [anyMap(c156)], [sumForEachMap(c167)], [quantileExactInclusiveOrNull(0.75)(c164)])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c171
SELECT c168 AS r1,
  c169 AS r2,
  c170 AS r3,
  c171 AS r4
FROM (
  WITH argMax(toFloat64(c6), c109) AS c149,
    argMin(toFloat64(c6), c109) AS c148,
    sum(c111) AS c150,
    argMin(c111, c109) AS c151,
    ((c149 - c148) + (c150 - c151)) AS c161,
    max(c109) AS c143,
    min(c109) AS c142,
    ((c143 - c142) / 1e9) AS c159,
    c116 AS c119,
    count() AS c141,
    argMax(toFloat64(c4), c109) AS c145,
    argMin(toFloat64(c4), c109) AS c144,
    sum(c110) AS c146,
    argMin(c110, c109) AS c147,
    ((c145 - c144) + (c146 - c147)) AS c160,
    (if(c159 = 0, 1., (c159 + least(if(((c142 - (c119 - 3600000000000)) / 1e9) >= (c159 / (c141 - 1)) * 1.1, (c159 / (c141 - 1)) / 2, ((c142 - (c119 - 3600000000000)) / 1e9)), if(coalesce(c160, c161) > 0 AND coalesce(c144, c148) >= 0, c159 * (coalesce(c144, c148) / coalesce(c160, c161)), if(((c142 - (c119 - 3600000000000)) / 1e9) >= (c159 / (c141 - 1)) * 1.1, (c159 / (c141 - 1)) / 2, ((c142 - (c119 - 3600000000000)) / 1e9)))) + if(((c119 - c143) / 1e9) >= (c159 / (c141 - 1)) * 1.1, (c159 / (c141 - 1)) / 2, ((c119 - c143) / 1e9))) / c159) / 1) AS c163,
    argMax(toFloat64(c7), c109) AS c153,
    argMin(toFloat64(c7), c109) AS c152,
    sum(c112) AS c154,
    argMin(c112, c109) AS c155,
    ((c153 - c152) + (c154 - c155)) AS c162,
    sumForEachMap(c114) AS c157,
    argMin(c114, c109) AS c158,
    c1 AS c117,
    c115 AS c118
  SELECT (c161 * c163) AS c165,
    (c162 * c163) AS c166,
    anyMap(if(isNull(c6), CAST(map(), 'Map(UInt64, Array(Tuple(Float64, Float64, Int8)))'), map(c113, arrayConcat(arrayMap((l, h) -> (l, h, toInt8(127)), arrayResize(arrayPushFront(c10, if(c10[1] > 0, 0., -inf)), length(c11)), arrayResize(arrayPushBack(c10, inf), length(c11), inf)), [(-c14, c14, toInt8(127))], arrayMap(i -> (toFloat64(1), toFloat64(c15 + i), c12), range(length(c16))), arrayMap(i -> (toFloat64((-1)), toFloat64(c17 + i), c12), range(length(c18))))))) AS c156,
    mapFromArrays(mapKeys(c157), arrayMap((k, c) -> arrayMap((n, before) -> (n - before) * c163, c, arrayResize(c158[k], length(c), 0)), mapKeys(c157), mapValues(c157))) AS c167,
    (c160 * c163) AS c164
  FROM (
    WITH lagInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c105,
      lagInFrame(c13) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c98,
      lagInFrame(c14) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c106,
      lagInFrame(c10) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c99,
      lagInFrame(c11) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c97,
      lagInFrame(c12) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c100,
      lagInFrame(c15) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c102,
      lagInFrame(c16) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c101,
      lagInFrame(c17) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c104,
      lagInFrame(c18) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c103,
      lagInFrame(c4) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c107,
      lagInFrame(c7) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c108
    SELECT c6,
      toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')) AS c109,
      if(((c56 = 'delta') OR multiIf((ifNull(c6 < c105, false) OR ifNull(c13 < c98, false) OR ifNull(c14 < c106, false)), true, NOT (c99 = c10 AND length(c97) = length(c11)), true, arrayExists(n -> n < 0, arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c11), toFloat64(c13)), arrayPushBack(arrayMap(n -> toFloat64(n), c97), toFloat64(c98)))), true, NOT (c100 >= c12), true, ((arrayExists(n -> n < 0, arrayMap((c, b) -> toFloat64(c) - b, c16, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c102), least(greatest(c100 - c12, 0), 63)) - c15, 0), length(c16)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c101, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c102 + j - 1), least(greatest(c100 - c12, 0), 63)), arrayEnumerate(c101))))), greatest(c15 - bitShiftRight(toInt64(c102), least(greatest(c100 - c12, 0), 63)), 0) + 1)), toUInt64(length(c16)), 0.))) OR arraySum(arrayMap(n -> toFloat64(n), c16)) - arraySum(arrayMap((c, b) -> toFloat64(c) - b, c16, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c102), least(greatest(c100 - c12, 0), 63)) - c15, 0), length(c16)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c101, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c102 + j - 1), least(greatest(c100 - c12, 0), 63)), arrayEnumerate(c101))))), greatest(c15 - bitShiftRight(toInt64(c102), least(greatest(c100 - c12, 0), 63)), 0) + 1)), toUInt64(length(c16)), 0.))) < arraySum(arrayMap(n -> toFloat64(n), c101))) OR (arrayExists(n -> n < 0, arrayMap((c, b) -> toFloat64(c) - b, c18, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c104), least(greatest(c100 - c12, 0), 63)) - c17, 0), length(c18)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c103, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c104 + j - 1), least(greatest(c100 - c12, 0), 63)), arrayEnumerate(c103))))), greatest(c17 - bitShiftRight(toInt64(c104), least(greatest(c100 - c12, 0), 63)), 0) + 1)), toUInt64(length(c18)), 0.))) OR arraySum(arrayMap(n -> toFloat64(n), c18)) - arraySum(arrayMap((c, b) -> toFloat64(c) - b, c18, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c104), least(greatest(c100 - c12, 0), 63)) - c17, 0), length(c18)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c103, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c104 + j - 1), least(greatest(c100 - c12, 0), 63)), arrayEnumerate(c103))))), greatest(c17 - bitShiftRight(toInt64(c104), least(greatest(c100 - c12, 0), 63)), 0) + 1)), toUInt64(length(c18)), 0.))) < arraySum(arrayMap(n -> toFloat64(n), c103)))))), ifNull(toFloat64(c105), 0.), 0.) AS c111,
      toInt64(1795100400000000000) AS c116,
      c4,
      if(((c56 = 'delta') OR ifNull(c4 < c107, false)), ifNull(toFloat64(c107), 0.), 0.) AS c110,
      c7,
      if(((c56 = 'delta') OR multiIf((ifNull(c6 < c105, false) OR ifNull(c13 < c98, false) OR ifNull(c14 < c106, false)), true, NOT (c99 = c10 AND length(c97) = length(c11)), true, arrayExists(n -> n < 0, arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c11), toFloat64(c13)), arrayPushBack(arrayMap(n -> toFloat64(n), c97), toFloat64(c98)))), true, NOT (c100 >= c12), true, ((arrayExists(n -> n < 0, arrayMap((c, b) -> toFloat64(c) - b, c16, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c102), least(greatest(c100 - c12, 0), 63)) - c15, 0), length(c16)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c101, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c102 + j - 1), least(greatest(c100 - c12, 0), 63)), arrayEnumerate(c101))))), greatest(c15 - bitShiftRight(toInt64(c102), least(greatest(c100 - c12, 0), 63)), 0) + 1)), toUInt64(length(c16)), 0.))) OR arraySum(arrayMap(n -> toFloat64(n), c16)) - arraySum(arrayMap((c, b) -> toFloat64(c) - b, c16, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c102), least(greatest(c100 - c12, 0), 63)) - c15, 0), length(c16)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c101, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c102 + j - 1), least(greatest(c100 - c12, 0), 63)), arrayEnumerate(c101))))), greatest(c15 - bitShiftRight(toInt64(c102), least(greatest(c100 - c12, 0), 63)), 0) + 1)), toUInt64(length(c16)), 0.))) < arraySum(arrayMap(n -> toFloat64(n), c101))) OR (arrayExists(n -> n < 0, arrayMap((c, b) -> toFloat64(c) - b, c18, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c104), least(greatest(c100 - c12, 0), 63)) - c17, 0), length(c18)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c103, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c104 + j - 1), least(greatest(c100 - c12, 0), 63)), arrayEnumerate(c103))))), greatest(c17 - bitShiftRight(toInt64(c104), least(greatest(c100 - c12, 0), 63)), 0) + 1)), toUInt64(length(c18)), 0.))) OR arraySum(arrayMap(n -> toFloat64(n), c18)) - arraySum(arrayMap((c, b) -> toFloat64(c) - b, c18, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c104), least(greatest(c100 - c12, 0), 63)) - c17, 0), length(c18)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c103, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c104 + j - 1), least(greatest(c100 - c12, 0), 63)), arrayEnumerate(c103))))), greatest(c17 - bitShiftRight(toInt64(c104), least(greatest(c100 - c12, 0), 63)), 0) + 1)), toUInt64(length(c18)), 0.))) < arraySum(arrayMap(n -> toFloat64(n), c103)))))), ifNull(toFloat64(c108), 0.), 0.) AS c112,
      cityHash64(cityHash64(c10, length(c11)), c14, c12, c15, length(c16), c17, length(c18)) AS c113,
      c10,
      c11,
      c14,
      c15,
      c12,
      c16,
      c17,
      c18,
      if(isNull(c6), CAST(map(), 'Map(UInt64, Array(Float64))'), map(c113, arrayConcat(if(((c56 = 'delta') OR multiIf((ifNull(c6 < c105, false) OR ifNull(c13 < c98, false) OR ifNull(c14 < c106, false)), true, NOT (c99 = c10 AND length(c97) = length(c11)), true, arrayExists(n -> n < 0, arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c11), toFloat64(c13)), arrayPushBack(arrayMap(n -> toFloat64(n), c97), toFloat64(c98)))), true, NOT (c100 >= c12), true, ((arrayExists(n -> n < 0, arrayMap((c, b) -> toFloat64(c) - b, c16, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c102), least(greatest(c100 - c12, 0), 63)) - c15, 0), length(c16)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c101, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c102 + j - 1), least(greatest(c100 - c12, 0), 63)), arrayEnumerate(c101))))), greatest(c15 - bitShiftRight(toInt64(c102), least(greatest(c100 - c12, 0), 63)), 0) + 1)), toUInt64(length(c16)), 0.))) OR arraySum(arrayMap(n -> toFloat64(n), c16)) - arraySum(arrayMap((c, b) -> toFloat64(c) - b, c16, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c102), least(greatest(c100 - c12, 0), 63)) - c15, 0), length(c16)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c101, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c102 + j - 1), least(greatest(c100 - c12, 0), 63)), arrayEnumerate(c101))))), greatest(c15 - bitShiftRight(toInt64(c102), least(greatest(c100 - c12, 0), 63)), 0) + 1)), toUInt64(length(c16)), 0.))) < arraySum(arrayMap(n -> toFloat64(n), c101))) OR (arrayExists(n -> n < 0, arrayMap((c, b) -> toFloat64(c) - b, c18, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c104), least(greatest(c100 - c12, 0), 63)) - c17, 0), length(c18)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c103, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c104 + j - 1), least(greatest(c100 - c12, 0), 63)), arrayEnumerate(c103))))), greatest(c17 - bitShiftRight(toInt64(c104), least(greatest(c100 - c12, 0), 63)), 0) + 1)), toUInt64(length(c18)), 0.))) OR arraySum(arrayMap(n -> toFloat64(n), c18)) - arraySum(arrayMap((c, b) -> toFloat64(c) - b, c18, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c104), least(greatest(c100 - c12, 0), 63)) - c17, 0), length(c18)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c103, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c104 + j - 1), least(greatest(c100 - c12, 0), 63)), arrayEnumerate(c103))))), greatest(c17 - bitShiftRight(toInt64(c104), least(greatest(c100 - c12, 0), 63)), 0) + 1)), toUInt64(length(c18)), 0.))) < arraySum(arrayMap(n -> toFloat64(n), c103)))))), arrayPushBack(arrayMap(n -> toFloat64(n), c11), toFloat64(c13)), arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c11), toFloat64(c13)), arrayPushBack(arrayMap(n -> toFloat64(n), c97), toFloat64(c98)))), if(((c56 = 'delta') OR multiIf((ifNull(c6 < c105, false) OR ifNull(c13 < c98, false) OR ifNull(c14 < c106, false)), true, NOT (c99 = c10 AND length(c97) = length(c11)), true, arrayExists(n -> n < 0, arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c11), toFloat64(c13)), arrayPushBack(arrayMap(n -> toFloat64(n), c97), toFloat64(c98)))), true, NOT (c100 >= c12), true, ((arrayExists(n -> n < 0, arrayMap((c, b) -> toFloat64(c) - b, c16, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c102), least(greatest(c100 - c12, 0), 63)) - c15, 0), length(c16)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c101, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c102 + j - 1), least(greatest(c100 - c12, 0), 63)), arrayEnumerate(c101))))), greatest(c15 - bitShiftRight(toInt64(c102), least(greatest(c100 - c12, 0), 63)), 0) + 1)), toUInt64(length(c16)), 0.))) OR arraySum(arrayMap(n -> toFloat64(n), c16)) - arraySum(arrayMap((c, b) -> toFloat64(c) - b, c16, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c102), least(greatest(c100 - c12, 0), 63)) - c15, 0), length(c16)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c101, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c102 + j - 1), least(greatest(c100 - c12, 0), 63)), arrayEnumerate(c101))))), greatest(c15 - bitShiftRight(toInt64(c102), least(greatest(c100 - c12, 0), 63)), 0) + 1)), toUInt64(length(c16)), 0.))) < arraySum(arrayMap(n -> toFloat64(n), c101))) OR (arrayExists(n -> n < 0, arrayMap((c, b) -> toFloat64(c) - b, c18, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c104), least(greatest(c100 - c12, 0), 63)) - c17, 0), length(c18)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c103, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c104 + j - 1), least(greatest(c100 - c12, 0), 63)), arrayEnumerate(c103))))), greatest(c17 - bitShiftRight(toInt64(c104), least(greatest(c100 - c12, 0), 63)), 0) + 1)), toUInt64(length(c18)), 0.))) OR arraySum(arrayMap(n -> toFloat64(n), c18)) - arraySum(arrayMap((c, b) -> toFloat64(c) - b, c18, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c104), least(greatest(c100 - c12, 0), 63)) - c17, 0), length(c18)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c103, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c104 + j - 1), least(greatest(c100 - c12, 0), 63)), arrayEnumerate(c103))))), greatest(c17 - bitShiftRight(toInt64(c104), least(greatest(c100 - c12, 0), 63)), 0) + 1)), toUInt64(length(c18)), 0.))) < arraySum(arrayMap(n -> toFloat64(n), c103)))))), arrayConcat(arrayMap(n -> toFloat64(n), c16), arrayMap(n -> toFloat64(n), c18)), arrayConcat(arrayMap((c, b) -> toFloat64(c) - b, c16, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c102), least(greatest(c100 - c12, 0), 63)) - c15, 0), length(c16)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c101, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c102 + j - 1), least(greatest(c100 - c12, 0), 63)), arrayEnumerate(c101))))), greatest(c15 - bitShiftRight(toInt64(c102), least(greatest(c100 - c12, 0), 63)), 0) + 1)), toUInt64(length(c16)), 0.)), arrayMap((c, b) -> toFloat64(c) - b, c18, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c104), least(greatest(c100 - c12, 0), 63)) - c17, 0), length(c18)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c103, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c104 + j - 1), least(greatest(c100 - c12, 0), 63)), arrayEnumerate(c103))))), greatest(c17 - bitShiftRight(toInt64(c104), least(greatest(c100 - c12, 0), 63)), 0) + 1)), toUInt64(length(c18)), 0.))))))) AS c114,
      c1,
      fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AS c115
    FROM (
      SELECT c6,
        c2,
        c1,
        c13,
        c14,
        c10,
        c11,
        c12,
        c16,
        c15,
        c18,
        c17,
        c4,
        c7
      FROM (
        SELECT series AS c1,
          fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') AS c2,
          value AS c4,
          CAST(NULL, 'Nullable(UInt64)') AS c6,
          CAST(NULL, 'Nullable(Float64)') AS c7,
          CAST([], 'Array(Float64)') AS c10,
          CAST([], 'Array(UInt64)') AS c11,
          toInt8(0) AS c12,
          toUInt64(0) AS c13,
          0. AS c14,
          toInt32(0) AS c15,
          CAST([], 'Array(UInt64)') AS c16,
          toInt32(0) AS c17,
          CAST([], 'Array(UInt64)') AS c18
        FROM metric_points
        WHERE workspace = {p1:UInt32}
        AND project = {p2:UInt32}
        AND time >= fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
        AND (time != fromUnixTimestamp64Milli({p3:Int64}, 'UTC') OR nanos >= 1)
        AND (time != fromUnixTimestamp64Milli({p5:Int64}, 'UTC') OR nanos < 1)
        AND ((metric = {p6:String}) AND NOT no_recorded_value)
        ORDER BY series,
          time,
          nanos,
          value DESC,
          fromUnixTimestamp64Nano(toUnixTimestamp64Milli(start_time) * 1000000 + start_nanos, 'UTC') DESC
        LIMIT 1 BY series,
          time,
          nanos
        UNION ALL
        SELECT series AS c1,
          fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') AS c2,
          CAST(NULL, 'Nullable(Float64)') AS c4,
          count AS c6,
          sum AS c7,
          bounds AS c10,
          bucket_counts AS c11,
          scale AS c12,
          zero_count AS c13,
          zero_threshold AS c14,
          positive_offset AS c15,
          positive_counts AS c16,
          negative_offset AS c17,
          negative_counts AS c18
        FROM metric_histograms
        WHERE workspace = {p1:UInt32}
        AND project = {p2:UInt32}
        AND time >= fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
        AND (time != fromUnixTimestamp64Milli({p3:Int64}, 'UTC') OR nanos >= 1)
        AND (time != fromUnixTimestamp64Milli({p5:Int64}, 'UTC') OR nanos < 1)
        AND ((metric = {p6:String}) AND NOT no_recorded_value)
        ORDER BY series,
          time,
          nanos,
          count DESC,
          sum DESC,
          fromUnixTimestamp64Nano(toUnixTimestamp64Milli(start_time) * 1000000 + start_nanos, 'UTC') DESC
        LIMIT 1 BY series,
          time,
          nanos
      )
    ) AS l
    INNER JOIN (
      SELECT any(temporality) AS c56,
        series AS c52
      FROM metric_series
      WHERE workspace = {p1:UInt32}
      AND project = {p2:UInt32}
      AND day >= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
      AND day <= toDate(fromUnixTimestamp64Nano({p8:Int64}, 'UTC'))
      AND (metric = {p6:String})
      GROUP BY c52
    ) AS r ON c1 = c52
  )
  GROUP BY c117,
    c118,
    c119
  HAVING (c141 > 1)
)
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000"
-- p4 = "1795100400001"
-- p5 = "1795100400000"
-- p6 = "latency"
-- p7 = "1795096800000000001"
-- p8 = "1795100400000000001"
