-- metric requests | rate 5m | where value > 0.1 | max by service.name, bucket(30m)
WITH c274 AS c310,
  toStartOfInterval(c259, toIntervalSecond(1800)) AS c311,
  arrayMap((n, h) -> multiIf(isNull(n), h, isNull(h), n, greatest(n, h)), [maxOrNull(c260)], [arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 1 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c264)], [sumForEachMap(c265)], [NULL])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c312
SELECT c310 AS r1,
  c311 AS r2,
  c312 AS r3
FROM (
  SELECT c259,
    c260,
    c264,
    c265,
    c258
  FROM (
    WITH c1 AS c143,
      c94 AS c144,
      sumOrNull(c93) AS c145
    SELECT c143 AS c258,
      toDateTime64(c144, 9, 'UTC') AS c259,
      (c145 / 300) AS c260,
      CAST(map(), 'Map(UInt64, Array(Tuple(Float64, Float64, Int8)))') AS c264,
      CAST(map(), 'Map(UInt64, Array(Float64))') AS c265
    FROM (
      SELECT c1,
        c93,
        c2
      FROM (
        WITH lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c90,
          lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c92,
          lagInFrame(c4) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c91
        SELECT c1,
          if(c142, toFloat64(c4), if((c90 = 0), if((c3 >= fromUnixTimestamp64Nano({p2:Int64}, 'UTC')), toFloat64(c4), toFloat64(c4) * 0), if((c3 > c92) OR (c4 < c91), toFloat64(c4), toFloat64(c4) - c91))) AS c93,
          c2
        FROM (
          SELECT series AS c1,
            materialize(if(ifNull((
            SELECT max((temporality = {p3:String})) AS c95
            FROM metric_series
            WHERE workspace = {p4:UInt32}
            AND project = {p5:UInt32}
            AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
            AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
            AND (metric = {p8:String})
          ), false), c1 IN (
            WITH any(temporality) AS c102
            SELECT series AS c98
            FROM metric_series
            WHERE workspace = {p4:UInt32}
            AND project = {p5:UInt32}
            AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
            AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
            AND (metric = {p8:String})
            GROUP BY c98
            HAVING (c102 = 'delta')
          ), false)) AS c142,
            value AS c4,
            time AS c2,
            start_time AS c3
          FROM metric_points
          WHERE workspace = {p4:UInt32}
          AND project = {p5:UInt32}
          AND time >= fromUnixTimestamp64Milli({p9:Int64}, 'UTC')
          AND time < fromUnixTimestamp64Milli({p10:Int64}, 'UTC')
          AND ((metric = {p8:String}) AND NOT no_recorded_value)
          ORDER BY series,
            time,
            value DESC,
            start_time DESC
          LIMIT 1 BY series,
            time
        )
      )
      WHERE (c2 >= fromUnixTimestamp64Nano({p2:Int64}, 'UTC'))
    )
    ARRAY JOIN arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))) AS c94
    GROUP BY c143,
      c144
    HAVING ifNull(((c145 / 300) > {p1:Float64}), false)
    UNION ALL WITH c228 AS c251,
      c229 AS c252,
      anyMap(map(c250, arrayConcat(arrayMap((l, h) -> (l, h, toInt8(127)), arrayResize(arrayPushFront(c245, if(c245[1] > 0, 0., -inf)), c233), arrayResize(arrayPushBack(c245, inf), c233, inf)), [(-c246, c246, toInt8(127))], arrayMap(i -> (toFloat64(1), toFloat64(c248 + i), c247), range(c236)), arrayMap(i -> (toFloat64((-1)), toFloat64(c249 + i), c247), range(c239))))) AS c255,
      sumForEachMap(map(c250, arrayConcat(arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c234, c233, 0), arrayResize(c235, c233, 0)), [toFloat64(toInt64(c242 - c243))], arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c237, c236, 0), arrayResize(c238, c236, 0)), arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c240, c239, 0), arrayResize(c241, c239, 0))))) AS c256,
      sumForEachMap(c244) AS c257
    SELECT c251 AS c258,
      toDateTime64(c252, 9, 'UTC') AS c259,
      CAST(NULL, 'Nullable(Float64)') AS c260,
      c255 AS c264,
      mapFromArrays(mapKeys(c256), arrayMap((k, c) -> arrayMap((a, b) -> a + b, c, arrayResize(c257[k], length(c), 0)), mapKeys(c256), mapValues(c256))) AS c265
    FROM (
      SELECT c1 AS c228,
        c223 AS c229,
        c159 AS c250,
        any(c9) AS c245,
        any(length(c10)) AS c233,
        any(c154) AS c246,
        any(c155) AS c248,
        any(c152) AS c247,
        any(length(c156)) AS c236,
        any(c157) AS c249,
        any(length(c158)) AS c239,
        sumForEachIf(c10, ((c224 AND c216) AND NOT (c225 AND c221 = c159))) AS c234,
        sumForEachIf(c10, ((c225 AND c221 = c159) AND NOT (c224 AND c216))) AS c235,
        sumIf(c153, ((c224 AND c216) AND NOT (c225 AND c221 = c159))) AS c242,
        sumIf(c153, ((c225 AND c221 = c159) AND NOT (c224 AND c216))) AS c243,
        sumForEachIf(c156, ((c224 AND c216) AND NOT (c225 AND c221 = c159))) AS c237,
        sumForEachIf(c156, ((c225 AND c221 = c159) AND NOT (c224 AND c216))) AS c238,
        sumForEachIf(c158, ((c224 AND c216) AND NOT (c225 AND c221 = c159))) AS c240,
        sumForEachIf(c158, ((c225 AND c221 = c159) AND NOT (c224 AND c216))) AS c241,
        sumForEachMapIf(if((notEmpty(c222) AND c221 != c159), map(c221, arrayConcat(if((c222[1] = toInt64(c147)), arrayMap(n -> -toFloat64(n), c10), arrayWithConstant(c222[2], 0.)), [if((c222[1] = toInt64(c147)), -toFloat64(c153), 0.)], if(c152 >= c222[3] AND notEmpty(c156), arrayMap(i -> -arraySum((n, j) -> if(bitShiftRight(toInt32(c155 + j - 1), greatest(c152 - c222[3], 0)) = c222[4] + i, toFloat64(n), 0.), c156, arrayEnumerate(c156)), range(toUInt64(c222[5]))), arrayWithConstant(c222[5], 0.)), if(c152 >= c222[3] AND notEmpty(c158), arrayMap(i -> -arraySum((n, j) -> if(bitShiftRight(toInt32(c157 + j - 1), greatest(c152 - c222[3], 0)) = c222[6] + i, toFloat64(n), 0.), c158, arrayEnumerate(c158)), range(toUInt64(c222[7]))), arrayWithConstant(c222[7], 0.)))), CAST(map(), 'Map(UInt64, Array(Float64))')), (c225 AND (notEmpty(c222) AND c221 != c159))) AS c244
      FROM (
        WITH (c2 >= fromUnixTimestamp64Nano({p2:Int64}, 'UTC')) AS c215,
          lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c161,
          leadInFrame(c2) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c217,
          leadInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c218,
          leadInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c219,
          (c217 >= c2 AND (c217 >= fromUnixTimestamp64Nano({p2:Int64}, 'UTC'))  AND NOT c209 AND NOT c218 > c3 AND NOT c219 < c5) AS c220
        SELECT c1,
          c159,
          c9,
          c10,
          c154,
          c155,
          c152,
          c156,
          c157,
          c158,
          (c215 AND (NOT (c161 = 0) OR c209 OR (c3 >= fromUnixTimestamp64Nano({p2:Int64}, 'UTC')))) AS c216,
          leadInFrame(c159) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c221,
          c153,
          leadInFrame(c160) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c222,
          c147,
          if(c215, arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))), []) AS c226,
          if(c220, arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c217, 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c217, 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))), []) AS c227
        FROM (
          WITH scale AS c11,
            zero_count AS c12,
            zero_threshold AS c13,
            positive_offset AS c14,
            positive_counts AS c15,
            negative_offset AS c16,
            negative_counts AS c17,
            materialize(if(ifNull((
            SELECT max((kind = {p11:String})) AS c148
            FROM metric_series
            WHERE workspace = {p4:UInt32}
            AND project = {p5:UInt32}
            AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
            AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
            AND (metric = {p8:String})
          ), false), (c11, c12, c13, c14, c15, c16, c17, cityHash64(cityHash64(c9, length(c10)), c13, c11, c14, length(c15), c16, length(c17)), [toInt64(c147), toInt64(length(c10)), toInt64(c11), toInt64(c14), toInt64(length(c15)), toInt64(c16), toInt64(length(c17))]), (toInt8(0), toUInt64(0), 0., toInt32(0), CAST([], 'Array(UInt64)'), toInt32(0), CAST([], 'Array(UInt64)'), c147, CAST([], 'Array(Int64)')))) AS c151
          SELECT series AS c1,
            tupleElement(c151, 8) AS c159,
            bounds AS c9,
            bucket_counts AS c10,
            tupleElement(c151, 3) AS c154,
            tupleElement(c151, 4) AS c155,
            tupleElement(c151, 1) AS c152,
            tupleElement(c151, 5) AS c156,
            tupleElement(c151, 6) AS c157,
            tupleElement(c151, 7) AS c158,
            time AS c2,
            materialize(if(ifNull((
            SELECT max((temporality = {p3:String})) AS c162
            FROM metric_series
            WHERE workspace = {p4:UInt32}
            AND project = {p5:UInt32}
            AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
            AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
            AND (metric = {p8:String})
          ), false), c1 IN (
            WITH any(temporality) AS c169
            SELECT series AS c165
            FROM metric_series
            WHERE workspace = {p4:UInt32}
            AND project = {p5:UInt32}
            AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
            AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
            AND (metric = {p8:String})
            GROUP BY c165
            HAVING (c169 = 'delta')
          ), false)) AS c209,
            start_time AS c3,
            tupleElement(c151, 2) AS c153,
            tupleElement(c151, 9) AS c160,
            cityHash64(c9, length(c10)) AS c147,
            count AS c5
          FROM metric_histograms
          WHERE workspace = {p4:UInt32}
          AND project = {p5:UInt32}
          AND time >= fromUnixTimestamp64Milli({p9:Int64}, 'UTC')
          AND time < fromUnixTimestamp64Milli({p10:Int64}, 'UTC')
          AND ((metric = {p8:String}) AND NOT no_recorded_value)
          ORDER BY series,
            time,
            count DESC,
            sum DESC,
            start_time DESC
          LIMIT 1 BY series,
            time
        )
      )
      ARRAY JOIN arrayDistinct(arrayConcat(c226, c227)) AS c223,
        arrayMap(b -> has(c226, b), arrayDistinct(arrayConcat(c226, c227))) AS c224,
        arrayMap(b -> has(c227, b), arrayDistinct(arrayConcat(c226, c227))) AS c225
      WHERE (c224 OR c225)
      GROUP BY c228,
        c229,
        c250
    )
    GROUP BY c251,
      c252
    HAVING ifNull((CAST(NULL, 'Nullable(Float64)') > {p1:Float64}), false)
  )
) AS l
INNER JOIN (
  SELECT any(service) AS c274,
    series AS c266
  FROM metric_series
  WHERE workspace = {p4:UInt32}
  AND project = {p5:UInt32}
  AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
  AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
  AND (metric = {p8:String})
  GROUP BY c266
) AS r ON c258 = c266
GROUP BY c310,
  c311
ORDER BY c311,
  c310
LIMIT 1001
-- p1 = 0.1
-- p2 = "1795096800000000000"
-- p3 = "delta"
-- p4 = 7
-- p5 = 1
-- p6 = "1795096200000000000"
-- p7 = "1795100400000000000"
-- p8 = "requests"
-- p9 = "1795096200000"
-- p10 = "1795100400000"
-- p11 = "exponential_histogram"
