-- metric requests | rate 5m | where value > 0.1 | max by service.name, bucket(30m)
WITH c285 AS c321,
  toStartOfInterval(c270, toIntervalSecond(1800)) AS c322,
  arrayMap((n, h) -> multiIf(isNull(n), h, isNull(h), n, greatest(n, h)), [maxOrNull(c271)], [arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 1 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c275)], [sumForEachMap(c276)], [NULL])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c323
SELECT c321 AS r1,
  c322 AS r2,
  c323 AS r3
FROM (
  SELECT c270,
    c271,
    c275,
    c276,
    c269
  FROM (
    WITH c90 AS c155,
      c154 AS c156,
      sumOrNull(c152) AS c157
    SELECT c155 AS c269,
      toDateTime64(c156, 9, 'UTC') AS c270,
      (c157 / 300) AS c271,
      CAST(map(), 'Map(UInt64, Array(Tuple(Float64, Float64, Int8)))') AS c275,
      CAST(map(), 'Map(UInt64, Array(Float64))') AS c276
    FROM (
      WITH arrayCompact(c148) AS c150,
        arrayMap(c -> arraySum(c), arraySplit((x, y) -> y != 0, c147, arrayDifference(c148))) AS c149
      SELECT c90,
        c152,
        c151
      FROM (
        WITH materialize(if(ifNull((
          SELECT max((temporality = {p2:String})) AS c99
          FROM metric_series
          WHERE workspace = {p3:UInt32}
          AND project = {p4:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND (metric = {p7:String})
        ), false), c90 IN (
          SELECT series AS c102
          FROM metric_series
          WHERE workspace = {p3:UInt32}
          AND project = {p4:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND (metric = {p7:String})
          AND (temporality = 'delta')
          GROUP BY c102
        ), false)) AS c146
        SELECT c90,
          arrayMap(t -> if(t < 1795096800000, -1, intDiv(t, 300000)), c96) AS c148,
          if(c146, c97, arrayMap((i, d, v, s, b) -> if(i = 1, v * (b >= 1795096800000), if(d < 0 OR s > 0, v, d)), arrayEnumerate(c97), arrayDifference(c97), c97, arrayDifference(c98), c98)) AS c147
        FROM (
          SELECT c90,
            if(c94, tupleElement(c95, 1), c91) AS c96,
            if(c94, tupleElement(c95, 2), c92) AS c97,
            if(c94, tupleElement(c95, 3), c93) AS c98
          FROM (
            SELECT c90,
              (arrayMin(arrayPopFront(arrayDifference(c91))) <= 0) AS c94,
              if(c94, arrayReverse(arrayCompact(p -> p.1, arrayReverseSort(arrayZip(c91, c92, c93)))), []) AS c95,
              c91,
              c92,
              c93
            FROM (
              SELECT c1 AS c90,
                groupArray(toUnixTimestamp64Milli(c2)) AS c91,
                groupArray(c4) AS c92,
                groupArray(toUnixTimestamp64Milli(c3)) AS c93
              FROM (
                SELECT series AS c1,
                  time AS c2,
                  value AS c4,
                  start_time AS c3
                FROM metric_points
                WHERE workspace = {p3:UInt32}
                AND project = {p4:UInt32}
                AND time >= fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
                AND time < fromUnixTimestamp64Milli({p9:Int64}, 'UTC')
                AND ((metric = {p7:String}) AND NOT no_recorded_value)
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
    )
    ARRAY JOIN arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(fromUnixTimestamp64Nano(c151 * 300000000000, 'UTC'), 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(fromUnixTimestamp64Nano(c151 * 300000000000, 'UTC'), 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))) AS c154
    GROUP BY c155,
      c156
    HAVING ifNull(((c157 / 300) > {p1:Float64}), false)
    UNION ALL WITH c239 AS c262,
      c240 AS c263,
      anyMap(map(c261, arrayConcat(arrayMap((l, h) -> (l, h, toInt8(127)), arrayResize(arrayPushFront(c256, if(c256[1] > 0, 0., -inf)), c244), arrayResize(arrayPushBack(c256, inf), c244, inf)), [(-c257, c257, toInt8(127))], arrayMap(i -> (toFloat64(1), toFloat64(c259 + i), c258), range(c247)), arrayMap(i -> (toFloat64((-1)), toFloat64(c260 + i), c258), range(c250))))) AS c266,
      sumForEachMap(map(c261, arrayConcat(arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c245, c244, 0), arrayResize(c246, c244, 0)), [toFloat64(toInt64(c253 - c254))], arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c248, c247, 0), arrayResize(c249, c247, 0)), arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c251, c250, 0), arrayResize(c252, c250, 0))))) AS c267,
      sumForEachMap(c255) AS c268
    SELECT c262 AS c269,
      toDateTime64(c263, 9, 'UTC') AS c270,
      CAST(NULL, 'Nullable(Float64)') AS c271,
      c266 AS c275,
      mapFromArrays(mapKeys(c267), arrayMap((k, c) -> arrayMap((a, b) -> a + b, c, arrayResize(c268[k], length(c), 0)), mapKeys(c267), mapValues(c267))) AS c276
    FROM (
      SELECT c1 AS c239,
        c234 AS c240,
        c170 AS c261,
        any(c9) AS c256,
        any(length(c10)) AS c244,
        any(c165) AS c257,
        any(c166) AS c259,
        any(c163) AS c258,
        any(length(c167)) AS c247,
        any(c168) AS c260,
        any(length(c169)) AS c250,
        sumForEachIf(c10, ((c235 AND c227) AND NOT (c236 AND c232 = c170))) AS c245,
        sumForEachIf(c10, ((c236 AND c232 = c170) AND NOT (c235 AND c227))) AS c246,
        sumIf(c164, ((c235 AND c227) AND NOT (c236 AND c232 = c170))) AS c253,
        sumIf(c164, ((c236 AND c232 = c170) AND NOT (c235 AND c227))) AS c254,
        sumForEachIf(c167, ((c235 AND c227) AND NOT (c236 AND c232 = c170))) AS c248,
        sumForEachIf(c167, ((c236 AND c232 = c170) AND NOT (c235 AND c227))) AS c249,
        sumForEachIf(c169, ((c235 AND c227) AND NOT (c236 AND c232 = c170))) AS c251,
        sumForEachIf(c169, ((c236 AND c232 = c170) AND NOT (c235 AND c227))) AS c252,
        sumForEachMapIf(if((notEmpty(c233) AND c232 != c170), map(c232, arrayConcat(if((c233[1] = toInt64(c158)), arrayMap(n -> -toFloat64(n), c10), arrayWithConstant(c233[2], 0.)), [if((c233[1] = toInt64(c158)), -toFloat64(c164), 0.)], if(c163 >= c233[3] AND notEmpty(c167), arrayMap(i -> -arraySum((n, j) -> if(bitShiftRight(toInt32(c166 + j - 1), greatest(c163 - c233[3], 0)) = c233[4] + i, toFloat64(n), 0.), c167, arrayEnumerate(c167)), range(toUInt64(c233[5]))), arrayWithConstant(c233[5], 0.)), if(c163 >= c233[3] AND notEmpty(c169), arrayMap(i -> -arraySum((n, j) -> if(bitShiftRight(toInt32(c168 + j - 1), greatest(c163 - c233[3], 0)) = c233[6] + i, toFloat64(n), 0.), c169, arrayEnumerate(c169)), range(toUInt64(c233[7]))), arrayWithConstant(c233[7], 0.)))), CAST(map(), 'Map(UInt64, Array(Float64))')), (c236 AND (notEmpty(c233) AND c232 != c170))) AS c255
      FROM (
        WITH (c2 >= fromUnixTimestamp64Nano({p10:Int64}, 'UTC')) AS c226,
          lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c172,
          leadInFrame(c2) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c228,
          leadInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c229,
          leadInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c230,
          (c228 >= c2 AND (c228 >= fromUnixTimestamp64Nano({p10:Int64}, 'UTC'))  AND NOT c220 AND NOT c229 > c3 AND NOT c230 < c5) AS c231
        SELECT c1,
          c170,
          c9,
          c10,
          c165,
          c166,
          c163,
          c167,
          c168,
          c169,
          (c226 AND (NOT (c172 = 0) OR c220 OR (c3 >= fromUnixTimestamp64Nano({p10:Int64}, 'UTC')))) AS c227,
          leadInFrame(c170) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c232,
          c164,
          leadInFrame(c171) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c233,
          c158,
          if(c226, arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))), []) AS c237,
          if(c231, arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c228, 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c228, 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))), []) AS c238
        FROM (
          WITH scale AS c11,
            zero_count AS c12,
            zero_threshold AS c13,
            positive_offset AS c14,
            positive_counts AS c15,
            negative_offset AS c16,
            negative_counts AS c17,
            materialize(if(ifNull((
            SELECT max((kind = {p11:String})) AS c159
            FROM metric_series
            WHERE workspace = {p3:UInt32}
            AND project = {p4:UInt32}
            AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
            AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
            AND (metric = {p7:String})
          ), false), (c11, c12, c13, c14, c15, c16, c17, cityHash64(cityHash64(c9, length(c10)), c13, c11, c14, length(c15), c16, length(c17)), [toInt64(c158), toInt64(length(c10)), toInt64(c11), toInt64(c14), toInt64(length(c15)), toInt64(c16), toInt64(length(c17))]), (toInt8(0), toUInt64(0), 0., toInt32(0), CAST([], 'Array(UInt64)'), toInt32(0), CAST([], 'Array(UInt64)'), c158, CAST([], 'Array(Int64)')))) AS c162
          SELECT series AS c1,
            tupleElement(c162, 8) AS c170,
            bounds AS c9,
            bucket_counts AS c10,
            tupleElement(c162, 3) AS c165,
            tupleElement(c162, 4) AS c166,
            tupleElement(c162, 1) AS c163,
            tupleElement(c162, 5) AS c167,
            tupleElement(c162, 6) AS c168,
            tupleElement(c162, 7) AS c169,
            time AS c2,
            materialize(if(ifNull((
            SELECT max((temporality = {p2:String})) AS c173
            FROM metric_series
            WHERE workspace = {p3:UInt32}
            AND project = {p4:UInt32}
            AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
            AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
            AND (metric = {p7:String})
          ), false), c1 IN (
            SELECT series AS c176
            FROM metric_series
            WHERE workspace = {p3:UInt32}
            AND project = {p4:UInt32}
            AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
            AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
            AND (metric = {p7:String})
            AND (temporality = 'delta')
            GROUP BY c176
          ), false)) AS c220,
            start_time AS c3,
            tupleElement(c162, 2) AS c164,
            tupleElement(c162, 9) AS c171,
            cityHash64(c9, length(c10)) AS c158,
            count AS c5
          FROM metric_histograms
          WHERE workspace = {p3:UInt32}
          AND project = {p4:UInt32}
          AND time >= fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
          AND time < fromUnixTimestamp64Milli({p9:Int64}, 'UTC')
          AND ((metric = {p7:String}) AND NOT no_recorded_value)
          ORDER BY series,
            time,
            count DESC,
            sum DESC,
            start_time DESC
          LIMIT 1 BY series,
            time
        )
      )
      ARRAY JOIN arrayDistinct(arrayConcat(c237, c238)) AS c234,
        arrayMap(b -> has(c237, b), arrayDistinct(arrayConcat(c237, c238))) AS c235,
        arrayMap(b -> has(c238, b), arrayDistinct(arrayConcat(c237, c238))) AS c236
      WHERE (c235 OR c236)
      GROUP BY c239,
        c240,
        c261
    )
    GROUP BY c262,
      c263
    HAVING ifNull((CAST(NULL, 'Nullable(Float64)') > {p1:Float64}), false)
  )
) AS l
INNER JOIN (
  SELECT any(service) AS c285,
    series AS c277
  FROM metric_series
  WHERE workspace = {p3:UInt32}
  AND project = {p4:UInt32}
  AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
  AND (metric = {p7:String})
  GROUP BY c277
) AS r ON c269 = c277
GROUP BY c321,
  c322
ORDER BY c322,
  c321
LIMIT 1001
-- p1 = 0.1
-- p2 = "delta"
-- p3 = 7
-- p4 = 1
-- p5 = "1795096200000000000"
-- p6 = "1795100400000000000"
-- p7 = "requests"
-- p8 = "1795096200000"
-- p9 = "1795100400000"
-- p10 = "1795096800000000000"
-- p11 = "exponential_histogram"
