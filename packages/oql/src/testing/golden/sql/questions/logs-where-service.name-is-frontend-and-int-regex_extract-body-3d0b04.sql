-- logs | where service.name == "frontend" and int(regex_extract(body, "in ([0-9]+)ms")) > (metric queue.size | stats max(value)) | count
WITH count() AS c224
SELECT c224 AS r1
FROM logs
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND ((service = {p5:String}) AND ifNull((toInt64OrNull(if(match(body, {p6:String}), extract(body, {p6:String}), NULL)) > (
  WITH arrayMap((n, h) -> multiIf(isNull(n), h, isNull(h), n, greatest(n, h)), [maxOrNull(c17)], [arrayMap((m, r, b) -> if(m = 0, r, b), [countIf((isNotNull(c18) AND isNull(c21)))], [maxOrNull(c21)], [arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 1 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c103)], [sumForEachMap(c104)], [NULL])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c222
  SELECT c222 AS c223
  FROM (
    SELECT value AS c17,
      CAST(NULL, 'Nullable(UInt64)') AS c18,
      CAST(NULL, 'Nullable(Float64)') AS c21,
      CAST(map(), 'Map(UInt64, Array(Tuple(Float64, Float64, Int8)))') AS c103,
      CAST(map(), 'Map(UInt64, Array(Float64))') AS c104
    FROM metric_points
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND time >= fromUnixTimestamp64Milli({p7:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
    AND ((metric = {p9:String}) AND NOT no_recorded_value)
    AND (time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
    ORDER BY series,
      time,
      value DESC,
      start_time DESC
    LIMIT 1 BY series,
      time
    UNION ALL
    SELECT c17,
      c18,
      c21,
      map(c117, arrayConcat(arrayMap((l, h) -> (l, h, toInt8(127)), arrayResize(arrayPushFront(c22, if(c22[1] > 0, 0., -inf)), length(c23)), arrayResize(arrayPushBack(c22, inf), length(c23), inf)), [(-c112, c112, toInt8(127))], arrayMap(i -> (toFloat64(1), toFloat64(c113 + i), c110), range(length(c114))), arrayMap(i -> (toFloat64((-1)), toFloat64(c115 + i), c110), range(length(c116))))) AS c103,
      map(c117, arrayConcat(multiIf((c167 OR ((c119 = 0) AND (c16 >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))) OR (NOT (c119 = 0) AND (c16 > c176 OR c18 < c177))), arrayPushBack(arrayMap(n -> toFloat64(n), c23), toFloat64(c111)), (c119 = 0), arrayMap(n -> 0., arrayPushBack(arrayMap(n -> toFloat64(n), c23), toFloat64(c111))), (c170 = c22 AND length(c168) = length(c23)), arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c23), toFloat64(c111)), arrayPushBack(arrayMap(n -> toFloat64(n), c168), toFloat64(c169))), arrayPushBack(arrayMap(n -> toFloat64(n), c23), toFloat64(c111))), multiIf((c167 OR ((c119 = 0) AND (c16 >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))) OR (NOT (c119 = 0) AND (c16 > c176 OR c18 < c177))), arrayConcat(arrayMap(n -> toFloat64(n), c114), arrayMap(n -> toFloat64(n), c116)), (c119 = 0), arrayMap(n -> 0., arrayConcat(arrayMap(n -> toFloat64(n), c114), arrayMap(n -> toFloat64(n), c116))), (c171 >= c110), arrayConcat(arrayMap((c, i) -> if(empty(c172), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c173 + j - 1), c171 - c110) = c113 + i - 1, toFloat64(n), 0.), c172, arrayEnumerate(c172))), c114, arrayEnumerate(c114)), arrayMap((c, i) -> if(empty(c174), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c175 + j - 1), c171 - c110) = c115 + i - 1, toFloat64(n), 0.), c174, arrayEnumerate(c174))), c116, arrayEnumerate(c116))), arrayConcat(arrayMap(n -> toFloat64(n), c114), arrayMap(n -> toFloat64(n), c116))))) AS c104
    FROM (
      SELECT c17,
        c18,
        c21,
        c117,
        c22,
        c23,
        c112,
        c113,
        c110,
        c114,
        c115,
        c116,
        c167,
        lagInFrame(toUInt8(1)) OVER (PARTITION BY c14 ORDER BY c15 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c119,
        c16,
        lagInFrame(c16) OVER (PARTITION BY c14 ORDER BY c15 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c176,
        lagInFrame(c18) OVER (PARTITION BY c14 ORDER BY c15 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c177,
        c111,
        lagInFrame(c22) OVER (PARTITION BY c14 ORDER BY c15 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c170,
        lagInFrame(c23) OVER (PARTITION BY c14 ORDER BY c15 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c168,
        lagInFrame(c111) OVER (PARTITION BY c14 ORDER BY c15 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c169,
        lagInFrame(c110) OVER (PARTITION BY c14 ORDER BY c15 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c171,
        lagInFrame(c114) OVER (PARTITION BY c14 ORDER BY c15 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c172,
        lagInFrame(c113) OVER (PARTITION BY c14 ORDER BY c15 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c173,
        lagInFrame(c116) OVER (PARTITION BY c14 ORDER BY c15 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c174,
        lagInFrame(c115) OVER (PARTITION BY c14 ORDER BY c15 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c175,
        c15
      FROM (
        WITH scale AS c24,
          zero_count AS c25,
          zero_threshold AS c26,
          positive_offset AS c27,
          positive_counts AS c28,
          negative_offset AS c29,
          negative_counts AS c30,
          cityHash64(c22, length(c23)) AS c105,
          materialize(if(ifNull((
          SELECT max((kind = {p10:String})) AS c106
          FROM metric_series
          WHERE workspace = {p1:UInt32}
          AND project = {p2:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p11:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND (metric = {p9:String})
        ), false), (c24, c25, c26, c27, c28, c29, c30, cityHash64(cityHash64(c22, length(c23)), c26, c24, c27, length(c28), c29, length(c30)), [toInt64(c105), toInt64(length(c23)), toInt64(c24), toInt64(c27), toInt64(length(c28)), toInt64(c29), toInt64(length(c30))]), (toInt8(0), toUInt64(0), 0., toInt32(0), CAST([], 'Array(UInt64)'), toInt32(0), CAST([], 'Array(UInt64)'), c105, CAST([], 'Array(Int64)')))) AS c109
        SELECT CAST(NULL, 'Nullable(Float64)') AS c17,
          count AS c18,
          max AS c21,
          tupleElement(c109, 8) AS c117,
          bounds AS c22,
          bucket_counts AS c23,
          tupleElement(c109, 3) AS c112,
          tupleElement(c109, 4) AS c113,
          tupleElement(c109, 1) AS c110,
          tupleElement(c109, 5) AS c114,
          tupleElement(c109, 6) AS c115,
          tupleElement(c109, 7) AS c116,
          materialize(if(ifNull((
          SELECT max((temporality = {p12:String})) AS c120
          FROM metric_series
          WHERE workspace = {p1:UInt32}
          AND project = {p2:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p11:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND (metric = {p9:String})
        ), false), c14 IN (
          SELECT series AS c123
          FROM metric_series
          WHERE workspace = {p1:UInt32}
          AND project = {p2:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p11:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND (metric = {p9:String})
          AND (temporality = 'delta')
          GROUP BY c123
        ), false)) AS c167,
          series AS c14,
          time AS c15,
          start_time AS c16,
          tupleElement(c109, 2) AS c111
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
    WHERE (c15 >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
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
