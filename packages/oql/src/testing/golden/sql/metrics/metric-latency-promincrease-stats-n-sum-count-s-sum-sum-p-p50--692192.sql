-- metric latency | promincrease | stats n=sum(count), s=sum(sum), p=p50(value), q=p75(value)
WITH ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(c159)], [sumOrNull(c159)])[1], 0.) AS c162,
  ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(c160)], [sumOrNull(c160)])[1], 0.) AS c163,
  arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 0.5 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c150)], [sumForEachMap(c161)], [quantileExactInclusiveOrNull(0.5)(c158)])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c164,
  arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 0.75 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c150)], [sumForEachMap(c161)], [quantileExactInclusiveOrNull(0.75)(c158)])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c165
SELECT c162 AS r1,
  c163 AS r2,
  c164 AS r3,
  c165 AS r4
FROM (
  WITH argMax(toFloat64(c5), c103) AS c143,
    argMin(toFloat64(c5), c103) AS c142,
    sum(c105) AS c144,
    argMin(c105, c103) AS c145,
    ((c143 - c142) + (c144 - c145)) AS c155,
    max(c103) AS c137,
    min(c103) AS c136,
    ((c137 - c136) / 1e9) AS c153,
    c110 AS c113,
    count() AS c135,
    argMax(toFloat64(c4), c103) AS c139,
    argMin(toFloat64(c4), c103) AS c138,
    sum(c104) AS c140,
    argMin(c104, c103) AS c141,
    ((c139 - c138) + (c140 - c141)) AS c154,
    (if(c153 = 0, 1., (c153 + least(if(((c136 - (c113 - 3600000000000)) / 1e9) >= (c153 / (c135 - 1)) * 1.1, (c153 / (c135 - 1)) / 2, ((c136 - (c113 - 3600000000000)) / 1e9)), if(coalesce(c154, c155) > 0 AND coalesce(c138, c142) >= 0, c153 * (coalesce(c138, c142) / coalesce(c154, c155)), if(((c136 - (c113 - 3600000000000)) / 1e9) >= (c153 / (c135 - 1)) * 1.1, (c153 / (c135 - 1)) / 2, ((c136 - (c113 - 3600000000000)) / 1e9)))) + if(((c113 - c137) / 1e9) >= (c153 / (c135 - 1)) * 1.1, (c153 / (c135 - 1)) / 2, ((c113 - c137) / 1e9))) / c153) / 1) AS c157,
    argMax(toFloat64(c6), c103) AS c147,
    argMin(toFloat64(c6), c103) AS c146,
    sum(c106) AS c148,
    argMin(c106, c103) AS c149,
    ((c147 - c146) + (c148 - c149)) AS c156,
    sumForEachMap(c108) AS c151,
    argMin(c108, c103) AS c152,
    c1 AS c111,
    c109 AS c112
  SELECT (c155 * c157) AS c159,
    (c156 * c157) AS c160,
    anyMap(if(isNull(c5), CAST(map(), 'Map(UInt64, Array(Tuple(Float64, Float64, Int8)))'), map(c107, arrayConcat(arrayMap((l, h) -> (l, h, toInt8(127)), arrayResize(arrayPushFront(c9, if(c9[1] > 0, 0., -inf)), length(c10)), arrayResize(arrayPushBack(c9, inf), length(c10), inf)), [(-c13, c13, toInt8(127))], arrayMap(i -> (toFloat64(1), toFloat64(c14 + i), c11), range(length(c15))), arrayMap(i -> (toFloat64((-1)), toFloat64(c16 + i), c11), range(length(c17))))))) AS c150,
    mapFromArrays(mapKeys(c151), arrayMap((k, c) -> arrayMap((n, before) -> (n - before) * c157, c, arrayResize(c152[k], length(c), 0)), mapKeys(c151), mapValues(c151))) AS c161,
    (c154 * c157) AS c158
  FROM (
    WITH lagInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c99,
      lagInFrame(c12) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c92,
      lagInFrame(c13) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c100,
      lagInFrame(c9) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c93,
      lagInFrame(c10) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c91,
      lagInFrame(c11) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c94,
      lagInFrame(c15) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c95,
      lagInFrame(c14) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c96,
      lagInFrame(c17) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c97,
      lagInFrame(c16) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c98,
      lagInFrame(c4) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c101,
      lagInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c102
    SELECT c5,
      toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')) AS c103,
      if(((c50 = 'delta') OR multiIf((ifNull(c5 < c99, false) OR ifNull(c12 < c92, false) OR ifNull(c13 < c100, false)), true, NOT (c93 = c9 AND length(c91) = length(c10)), true, arrayExists(n -> n < 0, arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c10), toFloat64(c12)), arrayPushBack(arrayMap(n -> toFloat64(n), c91), toFloat64(c92)))), true, NOT (c94 >= c11), true, ((arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c95), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c96 + j - 1), c94 - c11) = c14 + i - 1, toFloat64(n), 0.), c95, arrayEnumerate(c95))), c15, arrayEnumerate(c15))) OR arraySum(arrayMap(n -> toFloat64(n), c15)) - arraySum(arrayMap((c, i) -> if(empty(c95), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c96 + j - 1), c94 - c11) = c14 + i - 1, toFloat64(n), 0.), c95, arrayEnumerate(c95))), c15, arrayEnumerate(c15))) < arraySum(arrayMap(n -> toFloat64(n), c95))) OR (arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c97), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c98 + j - 1), c94 - c11) = c16 + i - 1, toFloat64(n), 0.), c97, arrayEnumerate(c97))), c17, arrayEnumerate(c17))) OR arraySum(arrayMap(n -> toFloat64(n), c17)) - arraySum(arrayMap((c, i) -> if(empty(c97), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c98 + j - 1), c94 - c11) = c16 + i - 1, toFloat64(n), 0.), c97, arrayEnumerate(c97))), c17, arrayEnumerate(c17))) < arraySum(arrayMap(n -> toFloat64(n), c97)))))), ifNull(toFloat64(c99), 0.), 0.) AS c105,
      toInt64(1795100400000000000) AS c110,
      c4,
      if(((c50 = 'delta') OR ifNull(c4 < c101, false)), ifNull(toFloat64(c101), 0.), 0.) AS c104,
      c6,
      if(((c50 = 'delta') OR multiIf((ifNull(c5 < c99, false) OR ifNull(c12 < c92, false) OR ifNull(c13 < c100, false)), true, NOT (c93 = c9 AND length(c91) = length(c10)), true, arrayExists(n -> n < 0, arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c10), toFloat64(c12)), arrayPushBack(arrayMap(n -> toFloat64(n), c91), toFloat64(c92)))), true, NOT (c94 >= c11), true, ((arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c95), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c96 + j - 1), c94 - c11) = c14 + i - 1, toFloat64(n), 0.), c95, arrayEnumerate(c95))), c15, arrayEnumerate(c15))) OR arraySum(arrayMap(n -> toFloat64(n), c15)) - arraySum(arrayMap((c, i) -> if(empty(c95), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c96 + j - 1), c94 - c11) = c14 + i - 1, toFloat64(n), 0.), c95, arrayEnumerate(c95))), c15, arrayEnumerate(c15))) < arraySum(arrayMap(n -> toFloat64(n), c95))) OR (arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c97), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c98 + j - 1), c94 - c11) = c16 + i - 1, toFloat64(n), 0.), c97, arrayEnumerate(c97))), c17, arrayEnumerate(c17))) OR arraySum(arrayMap(n -> toFloat64(n), c17)) - arraySum(arrayMap((c, i) -> if(empty(c97), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c98 + j - 1), c94 - c11) = c16 + i - 1, toFloat64(n), 0.), c97, arrayEnumerate(c97))), c17, arrayEnumerate(c17))) < arraySum(arrayMap(n -> toFloat64(n), c97)))))), ifNull(toFloat64(c102), 0.), 0.) AS c106,
      cityHash64(cityHash64(c9, length(c10)), c13, c11, c14, length(c15), c16, length(c17)) AS c107,
      c9,
      c10,
      c13,
      c14,
      c11,
      c15,
      c16,
      c17,
      if(isNull(c5), CAST(map(), 'Map(UInt64, Array(Float64))'), map(c107, arrayConcat(if(((c50 = 'delta') OR multiIf((ifNull(c5 < c99, false) OR ifNull(c12 < c92, false) OR ifNull(c13 < c100, false)), true, NOT (c93 = c9 AND length(c91) = length(c10)), true, arrayExists(n -> n < 0, arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c10), toFloat64(c12)), arrayPushBack(arrayMap(n -> toFloat64(n), c91), toFloat64(c92)))), true, NOT (c94 >= c11), true, ((arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c95), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c96 + j - 1), c94 - c11) = c14 + i - 1, toFloat64(n), 0.), c95, arrayEnumerate(c95))), c15, arrayEnumerate(c15))) OR arraySum(arrayMap(n -> toFloat64(n), c15)) - arraySum(arrayMap((c, i) -> if(empty(c95), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c96 + j - 1), c94 - c11) = c14 + i - 1, toFloat64(n), 0.), c95, arrayEnumerate(c95))), c15, arrayEnumerate(c15))) < arraySum(arrayMap(n -> toFloat64(n), c95))) OR (arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c97), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c98 + j - 1), c94 - c11) = c16 + i - 1, toFloat64(n), 0.), c97, arrayEnumerate(c97))), c17, arrayEnumerate(c17))) OR arraySum(arrayMap(n -> toFloat64(n), c17)) - arraySum(arrayMap((c, i) -> if(empty(c97), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c98 + j - 1), c94 - c11) = c16 + i - 1, toFloat64(n), 0.), c97, arrayEnumerate(c97))), c17, arrayEnumerate(c17))) < arraySum(arrayMap(n -> toFloat64(n), c97)))))), arrayPushBack(arrayMap(n -> toFloat64(n), c10), toFloat64(c12)), arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c10), toFloat64(c12)), arrayPushBack(arrayMap(n -> toFloat64(n), c91), toFloat64(c92)))), if(((c50 = 'delta') OR multiIf((ifNull(c5 < c99, false) OR ifNull(c12 < c92, false) OR ifNull(c13 < c100, false)), true, NOT (c93 = c9 AND length(c91) = length(c10)), true, arrayExists(n -> n < 0, arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c10), toFloat64(c12)), arrayPushBack(arrayMap(n -> toFloat64(n), c91), toFloat64(c92)))), true, NOT (c94 >= c11), true, ((arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c95), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c96 + j - 1), c94 - c11) = c14 + i - 1, toFloat64(n), 0.), c95, arrayEnumerate(c95))), c15, arrayEnumerate(c15))) OR arraySum(arrayMap(n -> toFloat64(n), c15)) - arraySum(arrayMap((c, i) -> if(empty(c95), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c96 + j - 1), c94 - c11) = c14 + i - 1, toFloat64(n), 0.), c95, arrayEnumerate(c95))), c15, arrayEnumerate(c15))) < arraySum(arrayMap(n -> toFloat64(n), c95))) OR (arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c97), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c98 + j - 1), c94 - c11) = c16 + i - 1, toFloat64(n), 0.), c97, arrayEnumerate(c97))), c17, arrayEnumerate(c17))) OR arraySum(arrayMap(n -> toFloat64(n), c17)) - arraySum(arrayMap((c, i) -> if(empty(c97), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c98 + j - 1), c94 - c11) = c16 + i - 1, toFloat64(n), 0.), c97, arrayEnumerate(c97))), c17, arrayEnumerate(c17))) < arraySum(arrayMap(n -> toFloat64(n), c97)))))), arrayConcat(arrayMap(n -> toFloat64(n), c15), arrayMap(n -> toFloat64(n), c17)), arrayConcat(arrayMap((c, i) -> if(empty(c95), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c96 + j - 1), c94 - c11) = c14 + i - 1, toFloat64(n), 0.), c95, arrayEnumerate(c95))), c15, arrayEnumerate(c15)), arrayMap((c, i) -> if(empty(c97), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c98 + j - 1), c94 - c11) = c16 + i - 1, toFloat64(n), 0.), c97, arrayEnumerate(c97))), c17, arrayEnumerate(c17))))))) AS c108,
      c1,
      fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AS c109
    FROM (
      SELECT c5,
        c2,
        c1,
        c12,
        c13,
        c9,
        c10,
        c11,
        c15,
        c14,
        c17,
        c16,
        c4,
        c6
      FROM (
        SELECT series AS c1,
          time AS c2,
          value AS c4,
          CAST(NULL, 'Nullable(UInt64)') AS c5,
          CAST(NULL, 'Nullable(Float64)') AS c6,
          CAST([], 'Array(Float64)') AS c9,
          CAST([], 'Array(UInt64)') AS c10,
          toInt8(0) AS c11,
          toUInt64(0) AS c12,
          0. AS c13,
          toInt32(0) AS c14,
          CAST([], 'Array(UInt64)') AS c15,
          toInt32(0) AS c16,
          CAST([], 'Array(UInt64)') AS c17
        FROM metric_points
        WHERE workspace = {p1:UInt32}
        AND project = {p2:UInt32}
        AND time >= fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
        AND ((metric = {p5:String}) AND NOT no_recorded_value)
        ORDER BY series,
          time,
          value DESC,
          start_time DESC
        LIMIT 1 BY series,
          time
        UNION ALL
        SELECT series AS c1,
          time AS c2,
          CAST(NULL, 'Nullable(Float64)') AS c4,
          count AS c5,
          sum AS c6,
          bounds AS c9,
          bucket_counts AS c10,
          scale AS c11,
          zero_count AS c12,
          zero_threshold AS c13,
          positive_offset AS c14,
          positive_counts AS c15,
          negative_offset AS c16,
          negative_counts AS c17
        FROM metric_histograms
        WHERE workspace = {p1:UInt32}
        AND project = {p2:UInt32}
        AND time >= fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
        AND ((metric = {p5:String}) AND NOT no_recorded_value)
        ORDER BY series,
          time,
          count DESC,
          sum DESC,
          start_time DESC
        LIMIT 1 BY series,
          time
      )
    ) AS l
    INNER JOIN (
      SELECT any(temporality) AS c50,
        series AS c46
      FROM metric_series
      WHERE workspace = {p1:UInt32}
      AND project = {p2:UInt32}
      AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
      AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
      AND (metric = {p5:String})
      GROUP BY c46
    ) AS r ON c1 = c46
  )
  GROUP BY c111,
    c112,
    c113
  HAVING (c135 > 1)
)
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800001"
-- p4 = "1795100400001"
-- p5 = "latency"
-- p6 = "1795096800000000001"
-- p7 = "1795100400000000001"
