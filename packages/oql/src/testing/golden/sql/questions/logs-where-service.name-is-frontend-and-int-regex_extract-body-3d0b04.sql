-- logs | where service.name == "frontend" and int(regex_extract(body, "in ([0-9]+)ms")) > (metric queue.size | stats max(value)) | count
WITH count() AS c313
SELECT c313 AS r1
FROM logs
WHERE workspace = {p1:UInt32}
AND project = {p2:UInt32}
AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
AND ((service = {p5:String}) AND ifNull((toInt64OrNull(if(match(body, {p6:String}), extract(body, {p6:String}), NULL)) > (
  WITH arrayMap((n, h) -> multiIf(isNull(n), h, isNull(h), n, greatest(n, h)), [maxOrNull(c17)], [arrayMap((m, r, b) -> if(m = 0, r, b), [countIf((isNotNull(c19) AND isNull(c22)))], [maxOrNull(c22)], [arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2.1, arrayMap((n, z) -> n - z, q.2.1, q.2.2), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2.1), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2.1, q.2.2), q.1.4), [arrayMap(q -> (q, if(arrayAll((v, w) -> w.1 >= v.2 OR (w.1 = v.1 AND w.2 = v.2), arrayPopBack(arraySort(v -> (v.1, v.2), q.1)), arrayPopFront(arraySort(v -> (v.1, v.2), q.1))), arrayMap(e -> (arrayFilter((n, l) -> l, arrayCumSum(e -> e.2, e), arrayResize(arrayPushBack(arrayMap((e, f) -> e.1 != f.1, arrayPopBack(e), arrayPopFront(e)), true), length(e))), arrayMap(z -> arrayMap((a, b) -> a - b, z, arrayPopBack(arrayPushFront(z, 0.))), [arrayFilter((n, l) -> l, arrayCumSum(e -> e.3, e), arrayResize(arrayPushBack(arrayMap((e, f) -> e.1 != f.1, arrayPopBack(e), arrayPopFront(e)), true), length(e)))])[1]), [arraySort(e -> e.1, arrayConcat(arrayMap(v -> (v.1, 0., 0.), q.1), arrayMap(v -> (v.2, v.3, if(v.1 = v.2, v.3, 0.)), q.1)))])[1], (arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)))), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayMap(y -> y + 0., arrayConcat(q.1.1, q.1.2)))), 1 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(mapSort(k)), mapValues(mapSort(c))), o), [anyMap(c192)], [sumForEachMap(c193)], [NULL])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c311
  SELECT c311 AS c312
  FROM (
    SELECT value AS c17,
      CAST(NULL, 'Nullable(UInt64)') AS c19,
      CAST(NULL, 'Nullable(Float64)') AS c22,
      CAST(map(), 'Map(UInt64, Array(Tuple(Float64, Float64, Int8)))') AS c192,
      CAST(map(), 'Map(UInt64, Array(Float64))') AS c193
    FROM metric_points
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND time >= fromUnixTimestamp64Milli({p7:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
    AND (((metric = {p9:String}) AND NOT no_recorded_value) AND (fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') >= fromUnixTimestamp64Nano({p10:Int64}, 'UTC') OR NOT series IN (
      SELECT series AS c118
      FROM metric_points
      WHERE workspace = {p1:UInt32}
      AND project = {p2:UInt32}
      AND time >= fromUnixTimestamp64Milli({p11:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Milli({p12:Int64}, 'UTC')
      AND ((metric = {p9:String}) AND NOT no_recorded_value)
      GROUP BY c118
    )))
    AND (fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
    ORDER BY series,
      time,
      nanos,
      value DESC,
      fromUnixTimestamp64Nano(toUnixTimestamp64Milli(start_time) * 1000000 + start_nanos, 'UTC') DESC
    LIMIT 1 BY series,
      time,
      nanos
    UNION ALL
    SELECT c17,
      c19,
      c22,
      map(c206, arrayConcat(arrayMap((l, h) -> (l, h, toInt8(127)), arrayResize(arrayPushFront(c23, if(c23[1] > 0, 0., -inf)), length(c24)), arrayResize(arrayPushBack(c23, inf), length(c24), inf)), [(-c201, c201, toInt8(127))], arrayMap(i -> (toFloat64(1), toFloat64(c202 + i), c199), range(length(c203))), arrayMap(i -> (toFloat64((-1)), toFloat64(c204 + i), c199), range(length(c205))))) AS c192,
      map(c206, arrayConcat(multiIf((c256 OR ((c208 = 0) AND (c16 >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))) OR (NOT (c208 = 0) AND (c16 > c265 OR c19 < c266))), arrayPushBack(arrayMap(n -> toFloat64(n), c24), toFloat64(c200)), (c208 = 0), arrayMap(n -> 0., arrayPushBack(arrayMap(n -> toFloat64(n), c24), toFloat64(c200))), (c259 = c23 AND length(c257) = length(c24)), arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c24), toFloat64(c200)), arrayPushBack(arrayMap(n -> toFloat64(n), c257), toFloat64(c258))), arrayPushBack(arrayMap(n -> toFloat64(n), c24), toFloat64(c200))), multiIf((c256 OR ((c208 = 0) AND (c16 >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))) OR (NOT (c208 = 0) AND (c16 > c265 OR c19 < c266))), arrayConcat(arrayMap(n -> toFloat64(n), c203), arrayMap(n -> toFloat64(n), c205)), (c208 = 0), arrayMap(n -> 0., arrayConcat(arrayMap(n -> toFloat64(n), c203), arrayMap(n -> toFloat64(n), c205))), (c260 >= c199), arrayConcat(arrayMap((c, b) -> toFloat64(c) - b, c203, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c262), least(greatest(c260 - c199, 0), 63)) - c202, 0), length(c203)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c261, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c262 + j - 1), least(greatest(c260 - c199, 0), 63)), arrayEnumerate(c261))))), greatest(c202 - bitShiftRight(toInt64(c262), least(greatest(c260 - c199, 0), 63)), 0) + 1)), toUInt64(length(c203)), 0.)), arrayMap((c, b) -> toFloat64(c) - b, c205, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c264), least(greatest(c260 - c199, 0), 63)) - c204, 0), length(c205)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c263, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c264 + j - 1), least(greatest(c260 - c199, 0), 63)), arrayEnumerate(c263))))), greatest(c204 - bitShiftRight(toInt64(c264), least(greatest(c260 - c199, 0), 63)), 0) + 1)), toUInt64(length(c205)), 0.))), arrayConcat(arrayMap(n -> toFloat64(n), c203), arrayMap(n -> toFloat64(n), c205))))) AS c193
    FROM (
      SELECT c17,
        c19,
        c22,
        c206,
        c23,
        c24,
        c201,
        c202,
        c199,
        c203,
        c204,
        c205,
        c256,
        lagInFrame(toUInt8(1)) OVER (PARTITION BY c14 ORDER BY c15 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c208,
        c16,
        lagInFrame(c16) OVER (PARTITION BY c14 ORDER BY c15 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c265,
        lagInFrame(c19) OVER (PARTITION BY c14 ORDER BY c15 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c266,
        c200,
        lagInFrame(c23) OVER (PARTITION BY c14 ORDER BY c15 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c259,
        lagInFrame(c24) OVER (PARTITION BY c14 ORDER BY c15 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c257,
        lagInFrame(c200) OVER (PARTITION BY c14 ORDER BY c15 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c258,
        lagInFrame(c199) OVER (PARTITION BY c14 ORDER BY c15 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c260,
        lagInFrame(c202) OVER (PARTITION BY c14 ORDER BY c15 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c262,
        lagInFrame(c203) OVER (PARTITION BY c14 ORDER BY c15 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c261,
        lagInFrame(c204) OVER (PARTITION BY c14 ORDER BY c15 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c264,
        lagInFrame(c205) OVER (PARTITION BY c14 ORDER BY c15 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c263,
        c15
      FROM (
        WITH scale AS c25,
          zero_count AS c26,
          zero_threshold AS c27,
          positive_offset AS c28,
          positive_counts AS c29,
          negative_offset AS c30,
          negative_counts AS c31,
          cityHash64(c23, length(c24)) AS c194,
          materialize(if(ifNull((
          SELECT max((kind = {p13:String})) AS c195
          FROM metric_series
          WHERE workspace = {p1:UInt32}
          AND project = {p2:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p10:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND (metric = {p9:String})
        ), false), (c25, c26, c27, c28, c29, c30, c31, cityHash64(cityHash64(c23, length(c24)), c27, c25, c28, length(c29), c30, length(c31)), [toInt64(c194), toInt64(length(c24)), toInt64(c25), toInt64(c28), toInt64(length(c29)), toInt64(c30), toInt64(length(c31))]), (toInt8(0), toUInt64(0), 0., toInt32(0), CAST([], 'Array(UInt64)'), toInt32(0), CAST([], 'Array(UInt64)'), c194, CAST([], 'Array(Int64)')))) AS c198
        SELECT CAST(NULL, 'Nullable(Float64)') AS c17,
          count AS c19,
          max AS c22,
          tupleElement(c198, 8) AS c206,
          bounds AS c23,
          bucket_counts AS c24,
          tupleElement(c198, 3) AS c201,
          tupleElement(c198, 4) AS c202,
          tupleElement(c198, 1) AS c199,
          tupleElement(c198, 5) AS c203,
          tupleElement(c198, 6) AS c204,
          tupleElement(c198, 7) AS c205,
          materialize(if(ifNull((
          SELECT max((temporality = {p14:String})) AS c209
          FROM metric_series
          WHERE workspace = {p1:UInt32}
          AND project = {p2:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p10:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND (metric = {p9:String})
        ), false), c14 IN (
          SELECT series AS c212
          FROM metric_series
          WHERE workspace = {p1:UInt32}
          AND project = {p2:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p10:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND (metric = {p9:String})
          AND (temporality = 'delta')
          GROUP BY c212
        ), false)) AS c256,
          series AS c14,
          fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') AS c15,
          fromUnixTimestamp64Nano(toUnixTimestamp64Milli(start_time) * 1000000 + start_nanos, 'UTC') AS c16,
          tupleElement(c198, 2) AS c200
        FROM metric_histograms
        WHERE workspace = {p1:UInt32}
        AND project = {p2:UInt32}
        AND time >= fromUnixTimestamp64Milli({p7:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
        AND (((metric = {p9:String}) AND NOT no_recorded_value) AND (fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') >= fromUnixTimestamp64Nano({p10:Int64}, 'UTC') OR NOT series IN (
          SELECT series AS c141
          FROM metric_histograms
          WHERE workspace = {p1:UInt32}
          AND project = {p2:UInt32}
          AND time >= fromUnixTimestamp64Milli({p11:Int64}, 'UTC')
          AND time < fromUnixTimestamp64Milli({p12:Int64}, 'UTC')
          AND ((metric = {p9:String}) AND NOT no_recorded_value)
          GROUP BY c141
        )))
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
-- p7 = "1795089600000"
-- p8 = "1795100400000"
-- p9 = "queue.size"
-- p10 = "1795096200000000000"
-- p11 = "1795096200000"
-- p12 = "1795096800000"
-- p13 = "exponential_histogram"
-- p14 = "delta"
