-- logs | where service.name == "frontend" and int(regex_extract(body, "in ([0-9]+)ms")) > (metric queue.size | stats max(value)) | count
WITH count() AS c169
SELECT c169 AS r1
FROM logs
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND ((service = {p5:String}) AND ifNull((toInt64OrNull(if(match(body, {p6:String}), extract(body, {p6:String}), NULL)) > (
  WITH arrayMap((n, h) -> multiIf(isNull(n), h, isNull(h), n, greatest(n, h)), [maxOrNull(c16)], [arrayMap((m, r, b) -> if(m = 0, r, b), [countIf((isNotNull(c17) AND isNull(c20)))], [maxOrNull(c20)], [arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 1 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c84)], [sumForEachMap(c85)], [NULL])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c167
  SELECT c167 AS c168
  FROM (
    SELECT c16,
      c17,
      c20,
      c84,
      c85
    FROM (
      SELECT value AS c16,
        CAST(NULL, 'Nullable(UInt64)') AS c17,
        CAST(NULL, 'Nullable(Float64)') AS c20,
        CAST(map(), 'Map(UInt64, Array(Tuple(Float64, Float64, Int8)))') AS c84,
        CAST(map(), 'Map(UInt64, Array(Float64))') AS c85,
        time AS c14
      FROM metric_points
      WHERE workspace = {p1:UInt32}
      AND project = {p2:UInt32}
      AND time >= fromUnixTimestamp64Milli({p7:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
      AND ((metric = {p9:String}) AND NOT no_recorded_value)
      ORDER BY series,
        time,
        value DESC,
        start_time DESC
      LIMIT 1 BY series,
        time
    )
    WHERE (c14 >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
    UNION ALL
    SELECT c16,
      c17,
      c20,
      c84,
      c85
    FROM (
      WITH lagInFrame(toUInt8(1)) OVER (PARTITION BY c13 ORDER BY c14 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c100,
        lagInFrame(c15) OVER (PARTITION BY c13 ORDER BY c14 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c139,
        lagInFrame(c17) OVER (PARTITION BY c13 ORDER BY c14 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c140,
        lagInFrame(c21) OVER (PARTITION BY c13 ORDER BY c14 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c133,
        lagInFrame(c22) OVER (PARTITION BY c13 ORDER BY c14 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c131,
        lagInFrame(c92) OVER (PARTITION BY c13 ORDER BY c14 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c132,
        lagInFrame(c91) OVER (PARTITION BY c13 ORDER BY c14 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c134,
        lagInFrame(c95) OVER (PARTITION BY c13 ORDER BY c14 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c135,
        lagInFrame(c94) OVER (PARTITION BY c13 ORDER BY c14 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c136,
        lagInFrame(c97) OVER (PARTITION BY c13 ORDER BY c14 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c137,
        lagInFrame(c96) OVER (PARTITION BY c13 ORDER BY c14 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c138
      SELECT c16,
        c17,
        c20,
        map(c98, arrayConcat(arrayMap((l, h) -> (l, h, toInt8(127)), arrayResize(arrayPushFront(c21, if(c21[1] > 0, 0., -inf)), length(c22)), arrayResize(arrayPushBack(c21, inf), length(c22), inf)), [(-c93, c93, toInt8(127))], arrayMap(i -> (toFloat64(1), toFloat64(c94 + i), c91), range(length(c95))), arrayMap(i -> (toFloat64((-1)), toFloat64(c96 + i), c91), range(length(c97))))) AS c84,
        map(c98, arrayConcat(multiIf((c130 OR ((c100 = 0) AND (c15 >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))) OR (NOT (c100 = 0) AND (c15 > c139 OR c17 < c140))), arrayPushBack(arrayMap(n -> toFloat64(n), c22), toFloat64(c92)), (c100 = 0), arrayMap(n -> 0., arrayPushBack(arrayMap(n -> toFloat64(n), c22), toFloat64(c92))), (c133 = c21 AND length(c131) = length(c22)), arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c22), toFloat64(c92)), arrayPushBack(arrayMap(n -> toFloat64(n), c131), toFloat64(c132))), arrayPushBack(arrayMap(n -> toFloat64(n), c22), toFloat64(c92))), multiIf((c130 OR ((c100 = 0) AND (c15 >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))) OR (NOT (c100 = 0) AND (c15 > c139 OR c17 < c140))), arrayConcat(arrayMap(n -> toFloat64(n), c95), arrayMap(n -> toFloat64(n), c97)), (c100 = 0), arrayMap(n -> 0., arrayConcat(arrayMap(n -> toFloat64(n), c95), arrayMap(n -> toFloat64(n), c97))), (c134 >= c91), arrayConcat(arrayMap((c, i) -> if(empty(c135), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c136 + j - 1), c134 - c91) = c94 + i - 1, toFloat64(n), 0.), c135, arrayEnumerate(c135))), c95, arrayEnumerate(c95)), arrayMap((c, i) -> if(empty(c137), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c138 + j - 1), c134 - c91) = c96 + i - 1, toFloat64(n), 0.), c137, arrayEnumerate(c137))), c97, arrayEnumerate(c97))), arrayConcat(arrayMap(n -> toFloat64(n), c95), arrayMap(n -> toFloat64(n), c97))))) AS c85,
        c14
      FROM (
        WITH scale AS c23,
          zero_count AS c24,
          zero_threshold AS c25,
          positive_offset AS c26,
          positive_counts AS c27,
          negative_offset AS c28,
          negative_counts AS c29,
          cityHash64(c21, length(c22)) AS c86,
          materialize(if(ifNull((
          SELECT max((kind = {p10:String})) AS c87
          FROM metric_series
          WHERE workspace = {p1:UInt32}
          AND project = {p2:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p11:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND (metric = {p9:String})
        ), false), (c23, c24, c25, c26, c27, c28, c29, cityHash64(cityHash64(c21, length(c22)), c25, c23, c26, length(c27), c28, length(c29)), [toInt64(c86), toInt64(length(c22)), toInt64(c23), toInt64(c26), toInt64(length(c27)), toInt64(c28), toInt64(length(c29))]), (toInt8(0), toUInt64(0), 0., toInt32(0), CAST([], 'Array(UInt64)'), toInt32(0), CAST([], 'Array(UInt64)'), c86, CAST([], 'Array(Int64)')))) AS c90
        SELECT CAST(NULL, 'Nullable(Float64)') AS c16,
          count AS c17,
          max AS c20,
          tupleElement(c90, 8) AS c98,
          bounds AS c21,
          bucket_counts AS c22,
          tupleElement(c90, 3) AS c93,
          tupleElement(c90, 4) AS c94,
          tupleElement(c90, 1) AS c91,
          tupleElement(c90, 5) AS c95,
          tupleElement(c90, 6) AS c96,
          tupleElement(c90, 7) AS c97,
          materialize(if(ifNull((
          SELECT max((temporality = {p12:String})) AS c101
          FROM metric_series
          WHERE workspace = {p1:UInt32}
          AND project = {p2:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p11:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND (metric = {p9:String})
        ), false), c13 IN (
          WITH any(temporality) AS c108
          SELECT series AS c104
          FROM metric_series
          WHERE workspace = {p1:UInt32}
          AND project = {p2:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p11:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND (metric = {p9:String})
          GROUP BY c104
          HAVING (c108 = 'delta')
        ), false)) AS c130,
          series AS c13,
          time AS c14,
          start_time AS c15,
          tupleElement(c90, 2) AS c92
        FROM metric_histograms
        WHERE workspace = {p1:UInt32}
        AND project = {p2:UInt32}
        AND time >= fromUnixTimestamp64Milli({p7:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
        AND ((metric = {p9:String}) AND NOT no_recorded_value)
        ORDER BY series,
          time,
          count DESC,
          sum DESC,
          start_time DESC
        LIMIT 1 BY series,
          time
      )
    )
    WHERE (c14 >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  )
)), false))
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "frontend"
-- p6 = "in ([0-9]+)ms"
-- p7 = "1795096200000"
-- p8 = "1795100400000"
-- p9 = "queue.size"
-- p10 = "exponential_histogram"
-- p11 = "1795096200000000000"
-- p12 = "delta"
