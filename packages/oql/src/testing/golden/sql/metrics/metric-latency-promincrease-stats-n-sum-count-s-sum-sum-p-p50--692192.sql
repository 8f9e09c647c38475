-- metric latency | promincrease | stats n=sum(count), s=sum(sum), p=p50(value), q=p75(value)
WITH ifNull(sum(c128), 0.) AS c131,
  ifNull(sum(c129), 0.) AS c132,
  arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 0.5 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c119)], [sumForEachMap(c130)], [quantileExactInclusiveOrNull(0.5)(c127)])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c133,
  arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 0.75 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c119)], [sumForEachMap(c130)], [quantileExactInclusiveOrNull(0.75)(c127)])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c134
SELECT c131 AS r1,
  c132 AS r2,
  c133 AS r3,
  c134 AS r4
FROM (
  WITH argMax(toFloat64(c5), c81) AS c112,
    argMin(toFloat64(c5), c81) AS c111,
    sum(c83) AS c113,
    argMin(c83, c81) AS c114,
    ((c112 - c111) + (c113 - c114)) AS c124,
    max(c81) AS c106,
    min(c81) AS c105,
    ((c106 - c105) / 1e9) AS c122,
    c88 AS c91,
    count() AS c104,
    argMax(toFloat64(c4), c81) AS c108,
    argMin(toFloat64(c4), c81) AS c107,
    sum(c82) AS c109,
    argMin(c82, c81) AS c110,
    ((c108 - c107) + (c109 - c110)) AS c123,
    (if(c122 = 0, 1., (c122 + least(if(((c105 - (c91 - 3600000000000)) / 1e9) >= (c122 / (c104 - 1)) * 1.1, (c122 / (c104 - 1)) / 2, ((c105 - (c91 - 3600000000000)) / 1e9)), if(coalesce(c123, c124) > 0 AND coalesce(c107, c111) >= 0, c122 * (coalesce(c107, c111) / coalesce(c123, c124)), if(((c105 - (c91 - 3600000000000)) / 1e9) >= (c122 / (c104 - 1)) * 1.1, (c122 / (c104 - 1)) / 2, ((c105 - (c91 - 3600000000000)) / 1e9)))) + if(((c91 - c106) / 1e9) >= (c122 / (c104 - 1)) * 1.1, (c122 / (c104 - 1)) / 2, ((c91 - c106) / 1e9))) / c122) / 1) AS c126,
    argMax(toFloat64(c6), c81) AS c116,
    argMin(toFloat64(c6), c81) AS c115,
    sum(c84) AS c117,
    argMin(c84, c81) AS c118,
    ((c116 - c115) + (c117 - c118)) AS c125,
    sumForEachMap(c86) AS c120,
    argMin(c86, c81) AS c121,
    c1 AS c89,
    c87 AS c90
  SELECT (c124 * c126) AS c128,
    (c125 * c126) AS c129,
    anyMap(if(isNull(c5), CAST(map(), 'Map(UInt64, Array(Tuple(Float64, Float64, Int8)))'), map(c85, arrayConcat(arrayMap((l, h) -> (l, h, toInt8(127)), arrayResize(arrayPushFront(c9, if(c9[1] > 0, 0., -inf)), length(c10)), arrayResize(arrayPushBack(c9, inf), length(c10), inf)), [(-c13, c13, toInt8(127))], arrayMap(i -> (toFloat64(1), toFloat64(c14 + i), c11), range(length(c15))), arrayMap(i -> (toFloat64((-1)), toFloat64(c16 + i), c11), range(length(c17))))))) AS c119,
    mapFromArrays(mapKeys(c120), arrayMap((k, c) -> arrayMap((n, before) -> (n - before) * c126, c, arrayResize(c121[k], length(c), 0)), mapKeys(c120), mapValues(c120))) AS c130,
    (c123 * c126) AS c127
  FROM (
    WITH lagInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c77,
      lagInFrame(c12) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c70,
      lagInFrame(c13) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c78,
      lagInFrame(c9) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c71,
      lagInFrame(c10) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c69,
      lagInFrame(c11) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c72,
      lagInFrame(c15) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c73,
      lagInFrame(c14) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c74,
      lagInFrame(c17) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c75,
      lagInFrame(c16) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c76,
      lagInFrame(c4) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c79,
      lagInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c80
    SELECT c5,
      toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')) AS c81,
      if(((c46 = 'delta') OR multiIf((ifNull(c5 < c77, false) OR ifNull(c12 < c70, false) OR ifNull(c13 < c78, false)), true, NOT (c71 = c9 AND length(c69) = length(c10)), true, arrayExists(n -> n < 0, arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c10), toFloat64(c12)), arrayPushBack(arrayMap(n -> toFloat64(n), c69), toFloat64(c70)))), true, NOT (c72 >= c11), true, ((arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c73), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c74 + j - 1), c72 - c11) = c14 + i - 1, toFloat64(n), 0.), c73, arrayEnumerate(c73))), c15, arrayEnumerate(c15))) OR arraySum(arrayMap(n -> toFloat64(n), c15)) - arraySum(arrayMap((c, i) -> if(empty(c73), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c74 + j - 1), c72 - c11) = c14 + i - 1, toFloat64(n), 0.), c73, arrayEnumerate(c73))), c15, arrayEnumerate(c15))) < arraySum(arrayMap(n -> toFloat64(n), c73))) OR (arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c75), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c76 + j - 1), c72 - c11) = c16 + i - 1, toFloat64(n), 0.), c75, arrayEnumerate(c75))), c17, arrayEnumerate(c17))) OR arraySum(arrayMap(n -> toFloat64(n), c17)) - arraySum(arrayMap((c, i) -> if(empty(c75), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c76 + j - 1), c72 - c11) = c16 + i - 1, toFloat64(n), 0.), c75, arrayEnumerate(c75))), c17, arrayEnumerate(c17))) < arraySum(arrayMap(n -> toFloat64(n), c75)))))), ifNull(toFloat64(c77), 0.), 0.) AS c83,
      toInt64(1795100400000000000) AS c88,
      c4,
      if(((c46 = 'delta') OR ifNull(c4 < c79, false)), ifNull(toFloat64(c79), 0.), 0.) AS c82,
      c6,
      if(((c46 = 'delta') OR multiIf((ifNull(c5 < c77, false) OR ifNull(c12 < c70, false) OR ifNull(c13 < c78, false)), true, NOT (c71 = c9 AND length(c69) = length(c10)), true, arrayExists(n -> n < 0, arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c10), toFloat64(c12)), arrayPushBack(arrayMap(n -> toFloat64(n), c69), toFloat64(c70)))), true, NOT (c72 >= c11), true, ((arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c73), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c74 + j - 1), c72 - c11) = c14 + i - 1, toFloat64(n), 0.), c73, arrayEnumerate(c73))), c15, arrayEnumerate(c15))) OR arraySum(arrayMap(n -> toFloat64(n), c15)) - arraySum(arrayMap((c, i) -> if(empty(c73), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c74 + j - 1), c72 - c11) = c14 + i - 1, toFloat64(n), 0.), c73, arrayEnumerate(c73))), c15, arrayEnumerate(c15))) < arraySum(arrayMap(n -> toFloat64(n), c73))) OR (arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c75), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c76 + j - 1), c72 - c11) = c16 + i - 1, toFloat64(n), 0.), c75, arrayEnumerate(c75))), c17, arrayEnumerate(c17))) OR arraySum(arrayMap(n -> toFloat64(n), c17)) - arraySum(arrayMap((c, i) -> if(empty(c75), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c76 + j - 1), c72 - c11) = c16 + i - 1, toFloat64(n), 0.), c75, arrayEnumerate(c75))), c17, arrayEnumerate(c17))) < arraySum(arrayMap(n -> toFloat64(n), c75)))))), ifNull(toFloat64(c80), 0.), 0.) AS c84,
      cityHash64(cityHash64(c9, length(c10)), c13, c11, c14, length(c15), c16, length(c17)) AS c85,
      c9,
      c10,
      c13,
      c14,
      c11,
      c15,
      c16,
      c17,
      if(isNull(c5), CAST(map(), 'Map(UInt64, Array(Float64))'), map(c85, arrayConcat(if(((c46 = 'delta') OR multiIf((ifNull(c5 < c77, false) OR ifNull(c12 < c70, false) OR ifNull(c13 < c78, false)), true, NOT (c71 = c9 AND length(c69) = length(c10)), true, arrayExists(n -> n < 0, arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c10), toFloat64(c12)), arrayPushBack(arrayMap(n -> toFloat64(n), c69), toFloat64(c70)))), true, NOT (c72 >= c11), true, ((arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c73), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c74 + j - 1), c72 - c11) = c14 + i - 1, toFloat64(n), 0.), c73, arrayEnumerate(c73))), c15, arrayEnumerate(c15))) OR arraySum(arrayMap(n -> toFloat64(n), c15)) - arraySum(arrayMap((c, i) -> if(empty(c73), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c74 + j - 1), c72 - c11) = c14 + i - 1, toFloat64(n), 0.), c73, arrayEnumerate(c73))), c15, arrayEnumerate(c15))) < arraySum(arrayMap(n -> toFloat64(n), c73))) OR (arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c75), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c76 + j - 1), c72 - c11) = c16 + i - 1, toFloat64(n), 0.), c75, arrayEnumerate(c75))), c17, arrayEnumerate(c17))) OR arraySum(arrayMap(n -> toFloat64(n), c17)) - arraySum(arrayMap((c, i) -> if(empty(c75), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c76 + j - 1), c72 - c11) = c16 + i - 1, toFloat64(n), 0.), c75, arrayEnumerate(c75))), c17, arrayEnumerate(c17))) < arraySum(arrayMap(n -> toFloat64(n), c75)))))), arrayPushBack(arrayMap(n -> toFloat64(n), c10), toFloat64(c12)), arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c10), toFloat64(c12)), arrayPushBack(arrayMap(n -> toFloat64(n), c69), toFloat64(c70)))), if(((c46 = 'delta') OR multiIf((ifNull(c5 < c77, false) OR ifNull(c12 < c70, false) OR ifNull(c13 < c78, false)), true, NOT (c71 = c9 AND length(c69) = length(c10)), true, arrayExists(n -> n < 0, arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c10), toFloat64(c12)), arrayPushBack(arrayMap(n -> toFloat64(n), c69), toFloat64(c70)))), true, NOT (c72 >= c11), true, ((arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c73), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c74 + j - 1), c72 - c11) = c14 + i - 1, toFloat64(n), 0.), c73, arrayEnumerate(c73))), c15, arrayEnumerate(c15))) OR arraySum(arrayMap(n -> toFloat64(n), c15)) - arraySum(arrayMap((c, i) -> if(empty(c73), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c74 + j - 1), c72 - c11) = c14 + i - 1, toFloat64(n), 0.), c73, arrayEnumerate(c73))), c15, arrayEnumerate(c15))) < arraySum(arrayMap(n -> toFloat64(n), c73))) OR (arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c75), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c76 + j - 1), c72 - c11) = c16 + i - 1, toFloat64(n), 0.), c75, arrayEnumerate(c75))), c17, arrayEnumerate(c17))) OR arraySum(arrayMap(n -> toFloat64(n), c17)) - arraySum(arrayMap((c, i) -> if(empty(c75), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c76 + j - 1), c72 - c11) = c16 + i - 1, toFloat64(n), 0.), c75, arrayEnumerate(c75))), c17, arrayEnumerate(c17))) < arraySum(arrayMap(n -> toFloat64(n), c75)))))), arrayConcat(arrayMap(n -> toFloat64(n), c15), arrayMap(n -> toFloat64(n), c17)), arrayConcat(arrayMap((c, i) -> if(empty(c73), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c74 + j - 1), c72 - c11) = c14 + i - 1, toFloat64(n), 0.), c73, arrayEnumerate(c73))), c15, arrayEnumerate(c15)), arrayMap((c, i) -> if(empty(c75), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c76 + j - 1), c72 - c11) = c16 + i - 1, toFloat64(n), 0.), c75, arrayEnumerate(c75))), c17, arrayEnumerate(c17))))))) AS c86,
      c1,
      fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AS c87
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
      SELECT any(temporality) AS c46,
        series AS c42
      FROM metric_series
      WHERE workspace = {p1:UInt32}
      AND project = {p2:UInt32}
      AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
      AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
      AND (metric = {p5:String})
      GROUP BY c42
    ) AS r ON c1 = c42
  )
  GROUP BY c89,
    c90,
    c91
  HAVING (c104 > 1)
)
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800001"
-- p4 = "1795100400001"
-- p5 = "latency"
-- p6 = "1795096800000000001"
-- p7 = "1795100400000000001"
