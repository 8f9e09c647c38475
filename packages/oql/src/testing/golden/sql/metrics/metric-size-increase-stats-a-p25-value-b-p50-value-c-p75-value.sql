-- metric size | increase | stats a=p25(value), b=p50(value), c=p75(value)
WITH arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 0.25 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c270)], [sumForEachMap(c271)], [quantileExactInclusiveOrNull(0.25)(c266)])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c316,
  arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 0.5 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c270)], [sumForEachMap(c271)], [quantileExactInclusiveOrNull(0.5)(c266)])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c317,
  arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 0.75 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c270)], [sumForEachMap(c271)], [quantileExactInclusiveOrNull(0.75)(c266)])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c318
SELECT c316 AS r1,
  c317 AS r2,
  c318 AS r3
FROM (
  WITH arrayCompact(c148) AS c150,
    arrayMap(c -> arraySum(c), arraySplit((x, y) -> y != 0, c147, arrayDifference(c148))) AS c149
  SELECT c152 AS c266,
    CAST(map(), 'Map(UInt64, Array(Tuple(Float64, Float64, Int8)))') AS c270,
    CAST(map(), 'Map(UInt64, Array(Float64))') AS c271
  FROM (
    WITH materialize(if(ifNull((
      SELECT max((temporality = {p1:String})) AS c99
      FROM metric_series
      WHERE workspace = {p2:UInt32}
      AND project = {p3:UInt32}
      AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
      AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
      AND (metric = {p6:String})
    ), false), c90 IN (
      SELECT series AS c102
      FROM metric_series
      WHERE workspace = {p2:UInt32}
      AND project = {p3:UInt32}
      AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
      AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
      AND (metric = {p6:String})
      AND (temporality = 'delta')
      GROUP BY c102
    ), false)) AS c146
    SELECT arrayMap(t -> if(t < 1795096800000, -1, 0), c96) AS c148,
      if(c146, c97, arrayMap((i, d, v, s, b) -> if(i = 1, v * (b >= 1795096800000), if(d < 0 OR s > 0, v, d)), arrayEnumerate(c97), arrayDifference(c97), c97, arrayDifference(c98), c98)) AS c147
    FROM (
      SELECT if(c94, tupleElement(c95, 1), c91) AS c96,
        c90,
        if(c94, tupleElement(c95, 2), c92) AS c97,
        if(c94, tupleElement(c95, 3), c93) AS c98
      FROM (
        SELECT (arrayMin(arrayPopFront(arrayDifference(c91))) <= 0) AS c94,
          if(c94, arrayReverse(arrayCompact(p -> p.1, arrayReverseSort(arrayZip(c91, c92, c93)))), []) AS c95,
          c91,
          c90,
          c92,
          c93
        FROM (
          SELECT groupArray(toUnixTimestamp64Milli(c2)) AS c91,
            groupArray(c4) AS c92,
            groupArray(toUnixTimestamp64Milli(c3)) AS c93,
            c1 AS c90
          FROM (
            SELECT time AS c2,
              value AS c4,
              start_time AS c3,
              series AS c1
            FROM metric_points
            WHERE workspace = {p2:UInt32}
            AND project = {p3:UInt32}
            AND time >= fromUnixTimestamp64Milli({p7:Int64}, 'UTC')
            AND time < fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
            AND ((metric = {p6:String}) AND NOT no_recorded_value)
            ORDER BY series,
              time
          )
          GROUP BY c90
        )
      )
    )
  )
  ARRAY JOIN c150 AS c151,
    c149 AS c152
  WHERE (c151 >= 0)
  UNION ALL WITH anyMap(map(c256, arrayConcat(arrayMap((l, h) -> (l, h, toInt8(127)), arrayResize(arrayPushFront(c251, if(c251[1] > 0, 0., -inf)), c239), arrayResize(arrayPushBack(c251, inf), c239, inf)), [(-c252, c252, toInt8(127))], arrayMap(i -> (toFloat64(1), toFloat64(c254 + i), c253), range(c242)), arrayMap(i -> (toFloat64((-1)), toFloat64(c255 + i), c253), range(c245))))) AS c261,
    sumForEachMap(map(c256, arrayConcat(arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c240, c239, 0), arrayResize(c241, c239, 0)), [toFloat64(toInt64(c248 - c249))], arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c243, c242, 0), arrayResize(c244, c242, 0)), arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c246, c245, 0), arrayResize(c247, c245, 0))))) AS c262,
    sumForEachMap(c250) AS c263,
    c234 AS c257,
    c235 AS c258
  SELECT CAST(NULL, 'Nullable(Float64)') AS c266,
    c261 AS c270,
    mapFromArrays(mapKeys(c262), arrayMap((k, c) -> arrayMap((a, b) -> a + b, c, arrayResize(c263[k], length(c), 0)), mapKeys(c262), mapValues(c262))) AS c271
  FROM (
    WITH max((c232 OR c233)) AS c238
    SELECT c167 AS c256,
      any(c9) AS c251,
      any(length(c10)) AS c239,
      any(c162) AS c252,
      any(c163) AS c254,
      any(c160) AS c253,
      any(length(c164)) AS c242,
      any(c165) AS c255,
      any(length(c166)) AS c245,
      sumForEachIf(c10, ((c232 AND c224) AND NOT (c233 AND c229 = c167))) AS c240,
      sumForEachIf(c10, ((c233 AND c229 = c167) AND NOT (c232 AND c224))) AS c241,
      sumIf(c161, ((c232 AND c224) AND NOT (c233 AND c229 = c167))) AS c248,
      sumIf(c161, ((c233 AND c229 = c167) AND NOT (c232 AND c224))) AS c249,
      sumForEachIf(c164, ((c232 AND c224) AND NOT (c233 AND c229 = c167))) AS c243,
      sumForEachIf(c164, ((c233 AND c229 = c167) AND NOT (c232 AND c224))) AS c244,
      sumForEachIf(c166, ((c232 AND c224) AND NOT (c233 AND c229 = c167))) AS c246,
      sumForEachIf(c166, ((c233 AND c229 = c167) AND NOT (c232 AND c224))) AS c247,
      sumForEachMapIf(if((notEmpty(c230) AND c229 != c167), map(c229, arrayConcat(if((c230[1] = toInt64(c155)), arrayMap(n -> -toFloat64(n), c10), arrayWithConstant(c230[2], 0.)), [if((c230[1] = toInt64(c155)), -toFloat64(c161), 0.)], if(c160 >= c230[3] AND notEmpty(c164), arrayMap(i -> -arraySum((n, j) -> if(bitShiftRight(toInt32(c163 + j - 1), greatest(c160 - c230[3], 0)) = c230[4] + i, toFloat64(n), 0.), c164, arrayEnumerate(c164)), range(toUInt64(c230[5]))), arrayWithConstant(c230[5], 0.)), if(c160 >= c230[3] AND notEmpty(c166), arrayMap(i -> -arraySum((n, j) -> if(bitShiftRight(toInt32(c165 + j - 1), greatest(c160 - c230[3], 0)) = c230[6] + i, toFloat64(n), 0.), c166, arrayEnumerate(c166)), range(toUInt64(c230[7]))), arrayWithConstant(c230[7], 0.)))), CAST(map(), 'Map(UInt64, Array(Float64))')), (c233 AND (notEmpty(c230) AND c229 != c167))) AS c250,
      c1 AS c234,
      c231 AS c235
    FROM (
      WITH (c2 >= fromUnixTimestamp64Nano({p9:Int64}, 'UTC')) AS c223,
        lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c169,
        leadInFrame(c2) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c225,
        leadInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c226,
        leadInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c227,
        (c225 >= c2 AND (c225 >= fromUnixTimestamp64Nano({p9:Int64}, 'UTC'))  AND NOT c217 AND NOT c226 > c3 AND NOT c227 < c5) AS c228
      SELECT c167,
        c9,
        c10,
        c162,
        c163,
        c160,
        c164,
        c165,
        c166,
        c223 AS c232,
        (c223 AND (NOT (c169 = 0) OR c217 OR (c3 >= fromUnixTimestamp64Nano({p9:Int64}, 'UTC')))) AS c224,
        c228 AS c233,
        leadInFrame(c167) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c229,
        c161,
        leadInFrame(c168) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c230,
        c155,
        c1,
        fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AS c231
      FROM (
        WITH scale AS c11,
          zero_count AS c12,
          zero_threshold AS c13,
          positive_offset AS c14,
          positive_counts AS c15,
          negative_offset AS c16,
          negative_counts AS c17,
          materialize(if(ifNull((
          SELECT max((kind = {p10:String})) AS c156
          FROM metric_series
          WHERE workspace = {p2:UInt32}
          AND project = {p3:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND (metric = {p6:String})
        ), false), (c11, c12, c13, c14, c15, c16, c17, cityHash64(cityHash64(c9, length(c10)), c13, c11, c14, length(c15), c16, length(c17)), [toInt64(c155), toInt64(length(c10)), toInt64(c11), toInt64(c14), toInt64(length(c15)), toInt64(c16), toInt64(length(c17))]), (toInt8(0), toUInt64(0), 0., toInt32(0), CAST([], 'Array(UInt64)'), toInt32(0), CAST([], 'Array(UInt64)'), c155, CAST([], 'Array(Int64)')))) AS c159
        SELECT tupleElement(c159, 8) AS c167,
          bounds AS c9,
          bucket_counts AS c10,
          tupleElement(c159, 3) AS c162,
          tupleElement(c159, 4) AS c163,
          tupleElement(c159, 1) AS c160,
          tupleElement(c159, 5) AS c164,
          tupleElement(c159, 6) AS c165,
          tupleElement(c159, 7) AS c166,
          time AS c2,
          series AS c1,
          materialize(if(ifNull((
          SELECT max((temporality = {p1:String})) AS c170
          FROM metric_series
          WHERE workspace = {p2:UInt32}
          AND project = {p3:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND (metric = {p6:String})
        ), false), c1 IN (
          SELECT series AS c173
          FROM metric_series
          WHERE workspace = {p2:UInt32}
          AND project = {p3:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND (metric = {p6:String})
          AND (temporality = 'delta')
          GROUP BY c173
        ), false)) AS c217,
          start_time AS c3,
          count AS c5,
          tupleElement(c159, 2) AS c161,
          tupleElement(c159, 9) AS c168,
          cityHash64(c9, length(c10)) AS c155
        FROM metric_histograms
        WHERE workspace = {p2:UInt32}
        AND project = {p3:UInt32}
        AND time >= fromUnixTimestamp64Milli({p7:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
        AND ((metric = {p6:String}) AND NOT no_recorded_value)
        ORDER BY series,
          time,
          count DESC,
          sum DESC,
          start_time DESC
        LIMIT 1 BY series,
          time
      )
    )
    GROUP BY c234,
      c235,
      c256
    HAVING c238
  )
  GROUP BY c257,
    c258
)
LIMIT 1001
-- p1 = "delta"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096200000000000"
-- p5 = "1795100400000000000"
-- p6 = "size"
-- p7 = "1795096200000"
-- p8 = "1795100400000"
-- p9 = "1795096800000000000"
-- p10 = "exponential_histogram"
