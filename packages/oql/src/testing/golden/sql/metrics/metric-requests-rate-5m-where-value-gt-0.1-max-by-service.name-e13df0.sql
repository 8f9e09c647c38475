-- metric requests | rate 5m | where value > 0.1 | max by service.name, bucket(30m)
WITH c286 AS c322,
  toStartOfInterval(c271, toIntervalSecond(1800)) AS c323,
  arrayMap((n, h) -> multiIf(isNull(n), h, isNull(h), n, greatest(n, h)), [maxOrNull(c272)], [arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 1 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c276)], [sumForEachMap(c277)], [NULL])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c324
SELECT c322 AS r1,
  c323 AS r2,
  c324 AS r3
FROM (
  SELECT c271,
    c272,
    c276,
    c277,
    c270
  FROM (
    WITH c90 AS c156,
      c155 AS c157,
      sumOrNull(c153) AS c158
    SELECT c156 AS c270,
      toDateTime64(c157, 9, 'UTC') AS c271,
      (c158 / 300) AS c272,
      CAST(map(), 'Map(UInt64, Array(Tuple(Float64, Float64, Int8)))') AS c276,
      CAST(map(), 'Map(UInt64, Array(Float64))') AS c277
    FROM (
      WITH arrayPushFront(arrayPopFront(c149), c149[1] + if(c146, 0., c97[1] * (c98[1] >= 1795096800000))) AS c151
      SELECT c90,
        c153,
        c152
      FROM (
        SELECT c90,
          arrayCompact(c148) AS c150,
          arrayMap(c -> arraySum(c), arraySplit((x, y) -> y != 0, c147, arrayDifference(c148))) AS c149,
          c146,
          c97,
          c98
        FROM (
          SELECT c90,
            arrayMap(t -> if(t < 1795096800000, -1, intDiv(t, 300000)), c96) AS c148,
            if(c146, c97, arrayMap((d, v, s) -> if(d < 0 OR s > 0, v, d), arrayDifference(c97), c97, arrayDifference(c98))) AS c147,
            materialize(if(ifNull((
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
          ), false)) AS c146,
            c97,
            c98
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
      )
      ARRAY JOIN c150 AS c152,
        c151 AS c153
      WHERE (c152 >= 0)
    )
    ARRAY JOIN arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(fromUnixTimestamp64Nano(c152 * 300000000000, 'UTC'), 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(fromUnixTimestamp64Nano(c152 * 300000000000, 'UTC'), 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))) AS c155
    GROUP BY c156,
      c157
    HAVING ifNull(((c158 / 300) > {p1:Float64}), false)
    UNION ALL WITH c240 AS c263,
      c241 AS c264,
      anyMap(map(c262, arrayConcat(arrayMap((l, h) -> (l, h, toInt8(127)), arrayResize(arrayPushFront(c257, if(c257[1] > 0, 0., -inf)), c245), arrayResize(arrayPushBack(c257, inf), c245, inf)), [(-c258, c258, toInt8(127))], arrayMap(i -> (toFloat64(1), toFloat64(c260 + i), c259), range(c248)), arrayMap(i -> (toFloat64((-1)), toFloat64(c261 + i), c259), range(c251))))) AS c267,
      sumForEachMap(map(c262, arrayConcat(arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c246, c245, 0), arrayResize(c247, c245, 0)), [toFloat64(toInt64(c254 - c255))], arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c249, c248, 0), arrayResize(c250, c248, 0)), arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c252, c251, 0), arrayResize(c253, c251, 0))))) AS c268,
      sumForEachMap(c256) AS c269
    SELECT c263 AS c270,
      toDateTime64(c264, 9, 'UTC') AS c271,
      CAST(NULL, 'Nullable(Float64)') AS c272,
      c267 AS c276,
      mapFromArrays(mapKeys(c268), arrayMap((k, c) -> arrayMap((a, b) -> a + b, c, arrayResize(c269[k], length(c), 0)), mapKeys(c268), mapValues(c268))) AS c277
    FROM (
      SELECT c1 AS c240,
        c235 AS c241,
        c171 AS c262,
        any(c9) AS c257,
        any(length(c10)) AS c245,
        any(c166) AS c258,
        any(c167) AS c260,
        any(c164) AS c259,
        any(length(c168)) AS c248,
        any(c169) AS c261,
        any(length(c170)) AS c251,
        sumForEachIf(c10, ((c236 AND c228) AND NOT (c237 AND c233 = c171))) AS c246,
        sumForEachIf(c10, ((c237 AND c233 = c171) AND NOT (c236 AND c228))) AS c247,
        sumIf(c165, ((c236 AND c228) AND NOT (c237 AND c233 = c171))) AS c254,
        sumIf(c165, ((c237 AND c233 = c171) AND NOT (c236 AND c228))) AS c255,
        sumForEachIf(c168, ((c236 AND c228) AND NOT (c237 AND c233 = c171))) AS c249,
        sumForEachIf(c168, ((c237 AND c233 = c171) AND NOT (c236 AND c228))) AS c250,
        sumForEachIf(c170, ((c236 AND c228) AND NOT (c237 AND c233 = c171))) AS c252,
        sumForEachIf(c170, ((c237 AND c233 = c171) AND NOT (c236 AND c228))) AS c253,
        sumForEachMapIf(if((notEmpty(c234) AND c233 != c171), map(c233, arrayConcat(if((c234[1] = toInt64(c159)), arrayMap(n -> -toFloat64(n), c10), arrayWithConstant(c234[2], 0.)), [if((c234[1] = toInt64(c159)), -toFloat64(c165), 0.)], if(c164 >= c234[3] AND notEmpty(c168), arrayMap(i -> -arraySum((n, j) -> if(bitShiftRight(toInt32(c167 + j - 1), greatest(c164 - c234[3], 0)) = c234[4] + i, toFloat64(n), 0.), c168, arrayEnumerate(c168)), range(toUInt64(c234[5]))), arrayWithConstant(c234[5], 0.)), if(c164 >= c234[3] AND notEmpty(c170), arrayMap(i -> -arraySum((n, j) -> if(bitShiftRight(toInt32(c169 + j - 1), greatest(c164 - c234[3], 0)) = c234[6] + i, toFloat64(n), 0.), c170, arrayEnumerate(c170)), range(toUInt64(c234[7]))), arrayWithConstant(c234[7], 0.)))), CAST(map(), 'Map(UInt64, Array(Float64))')), (c237 AND (notEmpty(c234) AND c233 != c171))) AS c256
      FROM (
        WITH (c2 >= fromUnixTimestamp64Nano({p10:Int64}, 'UTC')) AS c227,
          lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c173,
          leadInFrame(c2) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c229,
          leadInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c230,
          leadInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c231,
          (c229 >= c2 AND (c229 >= fromUnixTimestamp64Nano({p10:Int64}, 'UTC'))  AND NOT c221 AND NOT c230 > c3 AND NOT c231 < c5) AS c232
        SELECT c1,
          c171,
          c9,
          c10,
          c166,
          c167,
          c164,
          c168,
          c169,
          c170,
          (c227 AND (NOT (c173 = 0) OR c221 OR (c3 >= fromUnixTimestamp64Nano({p10:Int64}, 'UTC')))) AS c228,
          leadInFrame(c171) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c233,
          c165,
          leadInFrame(c172) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c234,
          c159,
          if(c227, arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))), []) AS c238,
          if(c232, arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c229, 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c229, 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))), []) AS c239
        FROM (
          WITH scale AS c11,
            zero_count AS c12,
            zero_threshold AS c13,
            positive_offset AS c14,
            positive_counts AS c15,
            negative_offset AS c16,
            negative_counts AS c17,
            materialize(if(ifNull((
            SELECT max((kind = {p11:String})) AS c160
            FROM metric_series
            WHERE workspace = {p3:UInt32}
            AND project = {p4:UInt32}
            AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
            AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
            AND (metric = {p7:String})
          ), false), (c11, c12, c13, c14, c15, c16, c17, cityHash64(cityHash64(c9, length(c10)), c13, c11, c14, length(c15), c16, length(c17)), [toInt64(c159), toInt64(length(c10)), toInt64(c11), toInt64(c14), toInt64(length(c15)), toInt64(c16), toInt64(length(c17))]), (toInt8(0), toUInt64(0), 0., toInt32(0), CAST([], 'Array(UInt64)'), toInt32(0), CAST([], 'Array(UInt64)'), c159, CAST([], 'Array(Int64)')))) AS c163
          SELECT series AS c1,
            tupleElement(c163, 8) AS c171,
            bounds AS c9,
            bucket_counts AS c10,
            tupleElement(c163, 3) AS c166,
            tupleElement(c163, 4) AS c167,
            tupleElement(c163, 1) AS c164,
            tupleElement(c163, 5) AS c168,
            tupleElement(c163, 6) AS c169,
            tupleElement(c163, 7) AS c170,
            time AS c2,
            materialize(if(ifNull((
            SELECT max((temporality = {p2:String})) AS c174
            FROM metric_series
            WHERE workspace = {p3:UInt32}
            AND project = {p4:UInt32}
            AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
            AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
            AND (metric = {p7:String})
          ), false), c1 IN (
            SELECT series AS c177
            FROM metric_series
            WHERE workspace = {p3:UInt32}
            AND project = {p4:UInt32}
            AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
            AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
            AND (metric = {p7:String})
            AND (temporality = 'delta')
            GROUP BY c177
          ), false)) AS c221,
            start_time AS c3,
            tupleElement(c163, 2) AS c165,
            tupleElement(c163, 9) AS c172,
            cityHash64(c9, length(c10)) AS c159,
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
      ARRAY JOIN arrayDistinct(arrayConcat(c238, c239)) AS c235,
        arrayMap(b -> has(c238, b), arrayDistinct(arrayConcat(c238, c239))) AS c236,
        arrayMap(b -> has(c239, b), arrayDistinct(arrayConcat(c238, c239))) AS c237
      WHERE (c236 OR c237)
      GROUP BY c240,
        c241,
        c262
    )
    GROUP BY c263,
      c264
    HAVING ifNull((CAST(NULL, 'Nullable(Float64)') > {p1:Float64}), false)
  )
) AS l
INNER JOIN (
  SELECT any(service) AS c286,
    series AS c278
  FROM metric_series
  WHERE workspace = {p3:UInt32}
  AND project = {p4:UInt32}
  AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
  AND (metric = {p7:String})
  GROUP BY c278
) AS r ON c270 = c278
GROUP BY c322,
  c323
ORDER BY c323,
  c322
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
