-- metric size | p50 by scale, bucket(30m)
WITH c301 AS c298,
  toStartOfInterval(c2, toIntervalSecond(1800)) AS c299,
  arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2.1, arrayMap((n, z) -> n - z, q.2.1, q.2.2), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2.1), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2.1, q.2.2), q.1.4), [arrayMap(q -> (q, if(arrayAll((v, w) -> w.1 >= v.2 OR (w.1 = v.1 AND w.2 = v.2), arrayPopBack(arraySort(v -> (v.1, v.2), q.1)), arrayPopFront(arraySort(v -> (v.1, v.2), q.1))), arrayMap(e -> (arrayFilter((n, l) -> l, arrayCumSum(e -> e.2, e), arrayResize(arrayPushBack(arrayMap((e, f) -> e.1 != f.1, arrayPopBack(e), arrayPopFront(e)), true), length(e))), arrayMap(z -> arrayMap((a, b) -> a - b, z, arrayPopBack(arrayPushFront(z, 0.))), [arrayFilter((n, l) -> l, arrayCumSum(e -> e.3, e), arrayResize(arrayPushBack(arrayMap((e, f) -> e.1 != f.1, arrayPopBack(e), arrayPopFront(e)), true), length(e)))])[1]), [arraySort(e -> e.1, arrayConcat(arrayMap(v -> (v.1, 0., 0.), q.1), arrayMap(v -> (v.2, v.3, if(v.1 = v.2, v.3, 0.)), q.1)))])[1], (arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)))), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayMap(y -> y + 0., arrayConcat(q.1.1, q.1.2)))), 0.5 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(mapSort(k)), mapValues(mapSort(c))), o), [anyMap(c179)], [sumForEachMap(c180)], [quantileExactInclusiveOrNull(0.5)(c4)])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c300
SELECT c298 AS r1,
  c299 AS r2,
  c300 AS r3
FROM (
  SELECT c2,
    c179,
    c180,
    c4,
    c1
  FROM (
    SELECT series AS c1,
      fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') AS c2,
      value AS c4,
      CAST(map(), 'Map(UInt64, Array(Tuple(Float64, Float64, Int8)))') AS c179,
      CAST(map(), 'Map(UInt64, Array(Float64))') AS c180
    FROM metric_points
    WHERE workspace = {p1:UInt32}
    AND project = {p2:UInt32}
    AND time >= fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
    AND (((metric = {p5:String}) AND NOT no_recorded_value) AND (fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') >= fromUnixTimestamp64Nano({p6:Int64}, 'UTC') OR NOT series IN (
      SELECT series AS c105
      FROM metric_points
      WHERE workspace = {p1:UInt32}
      AND project = {p2:UInt32}
      AND time >= fromUnixTimestamp64Milli({p7:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
      AND ((metric = {p5:String}) AND NOT no_recorded_value)
      GROUP BY c105
    )))
    AND (fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') >= fromUnixTimestamp64Nano({p9:Int64}, 'UTC'))
    ORDER BY series,
      time,
      nanos,
      value DESC,
      fromUnixTimestamp64Nano(toUnixTimestamp64Milli(start_time) * 1000000 + start_nanos, 'UTC') DESC
    LIMIT 1 BY series,
      time,
      nanos
    UNION ALL
    SELECT c1,
      c2,
      c4,
      map(c193, arrayConcat(arrayMap((l, h) -> (l, h, toInt8(127)), arrayResize(arrayPushFront(c10, if(c10[1] > 0, 0., -inf)), length(c11)), arrayResize(arrayPushBack(c10, inf), length(c11), inf)), [(-c188, c188, toInt8(127))], arrayMap(i -> (toFloat64(1), toFloat64(c189 + i), c186), range(length(c190))), arrayMap(i -> (toFloat64((-1)), toFloat64(c191 + i), c186), range(length(c192))))) AS c179,
      map(c193, arrayConcat(multiIf((c243 OR ((c195 = 0) AND (c3 >= fromUnixTimestamp64Nano({p9:Int64}, 'UTC'))) OR (NOT (c195 = 0) AND (c3 > c252 OR c6 < c253))), arrayPushBack(arrayMap(n -> toFloat64(n), c11), toFloat64(c187)), (c195 = 0), arrayMap(n -> 0., arrayPushBack(arrayMap(n -> toFloat64(n), c11), toFloat64(c187))), (c246 = c10 AND length(c244) = length(c11)), arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c11), toFloat64(c187)), arrayPushBack(arrayMap(n -> toFloat64(n), c244), toFloat64(c245))), arrayPushBack(arrayMap(n -> toFloat64(n), c11), toFloat64(c187))), multiIf((c243 OR ((c195 = 0) AND (c3 >= fromUnixTimestamp64Nano({p9:Int64}, 'UTC'))) OR (NOT (c195 = 0) AND (c3 > c252 OR c6 < c253))), arrayConcat(arrayMap(n -> toFloat64(n), c190), arrayMap(n -> toFloat64(n), c192)), (c195 = 0), arrayMap(n -> 0., arrayConcat(arrayMap(n -> toFloat64(n), c190), arrayMap(n -> toFloat64(n), c192))), (c247 >= c186), arrayConcat(arrayMap((c, b) -> toFloat64(c) - b, c190, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c249), least(greatest(c247 - c186, 0), 63)) - c189, 0), length(c190)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c248, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c249 + j - 1), least(greatest(c247 - c186, 0), 63)), arrayEnumerate(c248))))), greatest(c189 - bitShiftRight(toInt64(c249), least(greatest(c247 - c186, 0), 63)), 0) + 1)), toUInt64(length(c190)), 0.)), arrayMap((c, b) -> toFloat64(c) - b, c192, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c251), least(greatest(c247 - c186, 0), 63)) - c191, 0), length(c192)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c250, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c251 + j - 1), least(greatest(c247 - c186, 0), 63)), arrayEnumerate(c250))))), greatest(c191 - bitShiftRight(toInt64(c251), least(greatest(c247 - c186, 0), 63)), 0) + 1)), toUInt64(length(c192)), 0.))), arrayConcat(arrayMap(n -> toFloat64(n), c190), arrayMap(n -> toFloat64(n), c192))))) AS c180
    FROM (
      SELECT c1,
        c2,
        c4,
        c193,
        c10,
        c11,
        c188,
        c189,
        c186,
        c190,
        c191,
        c192,
        c243,
        lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c195,
        c3,
        lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c252,
        c6,
        lagInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c253,
        c187,
        lagInFrame(c10) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c246,
        lagInFrame(c11) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c244,
        lagInFrame(c187) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c245,
        lagInFrame(c186) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c247,
        lagInFrame(c189) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c249,
        lagInFrame(c190) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c248,
        lagInFrame(c191) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c251,
        lagInFrame(c192) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c250
      FROM (
        WITH scale AS c12,
          zero_count AS c13,
          zero_threshold AS c14,
          positive_offset AS c15,
          positive_counts AS c16,
          negative_offset AS c17,
          negative_counts AS c18,
          cityHash64(c10, length(c11)) AS c181,
          materialize(if(ifNull((
          SELECT max((kind = {p10:String})) AS c182
          FROM metric_series
          WHERE workspace = {p1:UInt32}
          AND project = {p2:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p11:Int64}, 'UTC'))
          AND (metric = {p5:String})
        ), false), (c12, c13, c14, c15, c16, c17, c18, cityHash64(cityHash64(c10, length(c11)), c14, c12, c15, length(c16), c17, length(c18)), [toInt64(c181), toInt64(length(c11)), toInt64(c12), toInt64(c15), toInt64(length(c16)), toInt64(c17), toInt64(length(c18))]), (toInt8(0), toUInt64(0), 0., toInt32(0), CAST([], 'Array(UInt64)'), toInt32(0), CAST([], 'Array(UInt64)'), c181, CAST([], 'Array(Int64)')))) AS c185
        SELECT series AS c1,
          fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') AS c2,
          CAST(NULL, 'Nullable(Float64)') AS c4,
          tupleElement(c185, 8) AS c193,
          bounds AS c10,
          bucket_counts AS c11,
          tupleElement(c185, 3) AS c188,
          tupleElement(c185, 4) AS c189,
          tupleElement(c185, 1) AS c186,
          tupleElement(c185, 5) AS c190,
          tupleElement(c185, 6) AS c191,
          tupleElement(c185, 7) AS c192,
          materialize(if(ifNull((
          SELECT max((temporality = {p12:String})) AS c196
          FROM metric_series
          WHERE workspace = {p1:UInt32}
          AND project = {p2:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p11:Int64}, 'UTC'))
          AND (metric = {p5:String})
        ), false), c1 IN (
          SELECT series AS c199
          FROM metric_series
          WHERE workspace = {p1:UInt32}
          AND project = {p2:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p11:Int64}, 'UTC'))
          AND (metric = {p5:String})
          AND (temporality = 'delta')
          GROUP BY c199
        ), false)) AS c243,
          fromUnixTimestamp64Nano(toUnixTimestamp64Milli(start_time) * 1000000 + start_nanos, 'UTC') AS c3,
          count AS c6,
          tupleElement(c185, 2) AS c187
        FROM metric_histograms
        WHERE workspace = {p1:UInt32}
        AND project = {p2:UInt32}
        AND time >= fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
        AND (((metric = {p5:String}) AND NOT no_recorded_value) AND (fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') >= fromUnixTimestamp64Nano({p6:Int64}, 'UTC') OR NOT series IN (
          SELECT series AS c128
          FROM metric_histograms
          WHERE workspace = {p1:UInt32}
          AND project = {p2:UInt32}
          AND time >= fromUnixTimestamp64Milli({p7:Int64}, 'UTC')
          AND time < fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
          AND ((metric = {p5:String}) AND NOT no_recorded_value)
          GROUP BY c128
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
    WHERE (c2 >= fromUnixTimestamp64Nano({p9:Int64}, 'UTC'))
  )
) AS l
INNER JOIN (
  WITH any(attributes) AS c266,
    max(attribute_types) AS c268,
    any(resource) AS c265,
    max(resource_types) AS c267
  SELECT multiIf(mapContains(c266, {p13:String}), concat(if(position(c268, concat('\0', {p13:String}, '\x01')) = 0, 's', substring(c268, position(c268, concat('\0', {p13:String}, '\x01')) + 7, 1)), c266[{p13:String}]), mapContains(c265, {p13:String}), concat(if(position(c267, concat('\0', {p13:String}, '\x01')) = 0, 's', substring(c267, position(c267, concat('\0', {p13:String}, '\x01')) + 7, 1)), c265[{p13:String}]), NULL) AS c301,
    series AS c254
  FROM metric_series
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
  AND day <= toDate(fromUnixTimestamp64Nano({p11:Int64}, 'UTC'))
  AND (metric = {p5:String})
  GROUP BY c254
) AS r ON c1 = c254
GROUP BY c298,
  c299
ORDER BY c299,
  toFloat64OrNull(substring(c298, 2)),
  substring(c298, 2)
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795089600000"
-- p4 = "1795100400000"
-- p5 = "size"
-- p6 = "1795096200000000000"
-- p7 = "1795096200000"
-- p8 = "1795096800000"
-- p9 = "1795096800000000000"
-- p10 = "exponential_histogram"
-- p11 = "1795100400000000000"
-- p12 = "delta"
-- p13 = "scale"
