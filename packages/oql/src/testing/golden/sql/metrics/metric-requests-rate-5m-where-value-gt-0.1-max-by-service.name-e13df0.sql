-- metric requests | rate 5m | where value > 0.1 | max by service.name, bucket(30m)
WITH c424 AS c460,
  toStartOfInterval(c409, toIntervalSecond(1800)) AS c461,
  arrayMap((n, h) -> multiIf(isNull(n), h, isNull(h), n, greatest(n, h)), [maxOrNull(c410)], [arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2.1, arrayMap((n, z) -> n - z, q.2.1, q.2.2), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2.1), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2.1, q.2.2), q.1.4), [arrayMap(q -> (q, if(arrayAll((v, w) -> w.1 >= v.2 OR (w.1 = v.1 AND w.2 = v.2), arrayPopBack(arraySort(v -> (v.1, v.2), q.1)), arrayPopFront(arraySort(v -> (v.1, v.2), q.1))), arrayMap(e -> (arrayFilter((n, l) -> l, arrayCumSum(e -> e.2, e), arrayResize(arrayPushBack(arrayMap((e, f) -> e.1 != f.1, arrayPopBack(e), arrayPopFront(e)), true), length(e))), arrayMap(z -> arrayMap((a, b) -> a - b, z, arrayPopBack(arrayPushFront(z, 0.))), [arrayFilter((n, l) -> l, arrayCumSum(e -> e.3, e), arrayResize(arrayPushBack(arrayMap((e, f) -> e.1 != f.1, arrayPopBack(e), arrayPopFront(e)), true), length(e)))])[1]), [arraySort(e -> e.1, arrayConcat(arrayMap(v -> (v.1, 0., 0.), q.1), arrayMap(v -> (v.2, v.3, if(v.1 = v.2, v.3, 0.)), q.1)))])[1], (arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)))), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayMap(y -> y + 0., arrayConcat(q.1.1, q.1.2)))), 1 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(mapSort(k)), mapValues(mapSort(c))), o), [anyMap(c414)], [sumForEachMap(c415)], [NULL])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c462
SELECT c460 AS r1,
  c461 AS r2,
  c462 AS r3
FROM (
  SELECT c409,
    c410,
    c414,
    c415,
    c408
  FROM (
    WITH c229 AS c294,
      c293 AS c295,
      sumOrNull(c291) AS c296
    SELECT c294 AS c408,
      toDateTime64(c295, 9, 'UTC') AS c409,
      (c296 / 300) AS c410,
      CAST(map(), 'Map(UInt64, Array(Tuple(Float64, Float64, Int8)))') AS c414,
      CAST(map(), 'Map(UInt64, Array(Float64))') AS c415
    FROM (
      WITH arrayCompact(c287) AS c289,
        arrayMap(c -> arraySum(c), arraySplit((x, y) -> y != 0, c286, arrayDifference(c287))) AS c288
      SELECT c229,
        c291,
        c290
      FROM (
        WITH materialize(if(ifNull((
          SELECT max((temporality = {p2:String})) AS c238
          FROM metric_series
          WHERE workspace = {p3:UInt32}
          AND project = {p4:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND (metric = {p7:String})
        ), false), c229 IN (
          SELECT series AS c241
          FROM metric_series
          WHERE workspace = {p3:UInt32}
          AND project = {p4:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND (metric = {p7:String})
          AND (temporality = 'delta')
          GROUP BY c241
        ), false)) AS c285
        SELECT c229,
          arrayMap(t -> if(t < 1795096800000000000, -1, intDiv(t, 300000000000)), c235) AS c287,
          if(c285, c236, arrayMap((i, d, v, s, b) -> if(i = 1, v * (b >= 1795096800000000000), if(d < 0 OR s > 0, v, d)), arrayEnumerate(c236), arrayDifference(c236), c236, arrayDifference(c237), c237)) AS c286
        FROM (
          SELECT c229,
            if(c233, tupleElement(c234, 1), c230) AS c235,
            if(c233, tupleElement(c234, 2), c231) AS c236,
            if(c233, tupleElement(c234, 3), c232) AS c237
          FROM (
            SELECT c229,
              (arrayMin(arrayPopFront(arrayDifference(c230))) <= 0) AS c233,
              if(c233, arrayReverse(arrayCompact(p -> p.1, arrayReverseSort(arrayZip(c230, c231, c232)))), []) AS c234,
              c230,
              c231,
              c232
            FROM (
              SELECT c1 AS c229,
                groupArray(toUnixTimestamp64Nano(c2)) AS c230,
                groupArray(c4) AS c231,
                groupArray(toUnixTimestamp64Nano(c3)) AS c232
              FROM (
                SELECT series AS c1,
                  fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') AS c2,
                  value AS c4,
                  fromUnixTimestamp64Nano(toUnixTimestamp64Milli(start_time) * 1000000 + start_nanos, 'UTC') AS c3
                FROM metric_points
                WHERE workspace = {p3:UInt32}
                AND project = {p4:UInt32}
                AND time >= fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
                AND time < fromUnixTimestamp64Milli({p9:Int64}, 'UTC')
                AND (((metric = {p7:String}) AND NOT no_recorded_value) AND (fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC') OR NOT series IN (
                  SELECT series AS c105
                  FROM metric_points
                  WHERE workspace = {p3:UInt32}
                  AND project = {p4:UInt32}
                  AND time >= fromUnixTimestamp64Milli({p10:Int64}, 'UTC')
                  AND time < fromUnixTimestamp64Milli({p11:Int64}, 'UTC')
                  AND ((metric = {p7:String}) AND NOT no_recorded_value)
                  GROUP BY c105
                )))
                ORDER BY series,
                  time,
                  nanos
              )
              GROUP BY c229
            )
          )
        )
      )
      ARRAY JOIN c289 AS c290,
        c288 AS c291
      WHERE (c290 >= 0)
    )
    ARRAY JOIN arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(fromUnixTimestamp64Nano(c290 * 300000000000, 'UTC'), 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(fromUnixTimestamp64Nano(c290 * 300000000000, 'UTC'), 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))) AS c293
    GROUP BY c294,
      c295
    HAVING ifNull(((c296 / 300) > {p1:Float64}), false)
    UNION ALL WITH c378 AS c401,
      c379 AS c402,
      anyMap(map(c400, arrayConcat(arrayMap((l, h) -> (l, h, toInt8(127)), arrayResize(arrayPushFront(c395, if(c395[1] > 0, 0., -inf)), c383), arrayResize(arrayPushBack(c395, inf), c383, inf)), [(-c396, c396, toInt8(127))], arrayMap(i -> (toFloat64(1), toFloat64(c398 + i), c397), range(c386)), arrayMap(i -> (toFloat64((-1)), toFloat64(c399 + i), c397), range(c389))))) AS c405,
      sumForEachMap(map(c400, arrayConcat(arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c384, c383, 0), arrayResize(c385, c383, 0)), [toFloat64(toInt64(c392 - c393))], arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c387, c386, 0), arrayResize(c388, c386, 0)), arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c390, c389, 0), arrayResize(c391, c389, 0))))) AS c406,
      sumForEachMap(c394) AS c407
    SELECT c401 AS c408,
      toDateTime64(c402, 9, 'UTC') AS c409,
      CAST(NULL, 'Nullable(Float64)') AS c410,
      c405 AS c414,
      mapFromArrays(mapKeys(c406), arrayMap((k, c) -> arrayMap((a, b) -> a + b, c, arrayResize(c407[k], length(c), 0)), mapKeys(c406), mapValues(c406))) AS c415
    FROM (
      SELECT c1 AS c378,
        c373 AS c379,
        c309 AS c400,
        any(c10) AS c395,
        any(length(c11)) AS c383,
        any(c304) AS c396,
        any(c305) AS c398,
        any(c302) AS c397,
        any(length(c306)) AS c386,
        any(c307) AS c399,
        any(length(c308)) AS c389,
        sumForEachIf(c11, ((c374 AND c366) AND NOT (c375 AND c371 = c309))) AS c384,
        sumForEachIf(c11, ((c375 AND c371 = c309) AND NOT (c374 AND c366))) AS c385,
        sumIf(c303, ((c374 AND c366) AND NOT (c375 AND c371 = c309))) AS c392,
        sumIf(c303, ((c375 AND c371 = c309) AND NOT (c374 AND c366))) AS c393,
        sumForEachIf(c306, ((c374 AND c366) AND NOT (c375 AND c371 = c309))) AS c387,
        sumForEachIf(c306, ((c375 AND c371 = c309) AND NOT (c374 AND c366))) AS c388,
        sumForEachIf(c308, ((c374 AND c366) AND NOT (c375 AND c371 = c309))) AS c390,
        sumForEachIf(c308, ((c375 AND c371 = c309) AND NOT (c374 AND c366))) AS c391,
        sumForEachMapIf(if((notEmpty(c372) AND c371 != c309), map(c371, arrayConcat(if((c372[1] = toInt64(c297)), arrayMap(n -> -toFloat64(n), c11), arrayWithConstant(c372[2], 0.)), [if((c372[1] = toInt64(c297)), -toFloat64(c303), 0.)], if(c302 >= c372[3] AND notEmpty(c306), arrayMap(n -> -n, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c305), least(greatest(c302 - c372[3], 0), 63)) - c372[4], 0), c372[5]), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c306, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c305 + j - 1), least(greatest(c302 - c372[3], 0), 63)), arrayEnumerate(c306))))), greatest(c372[4] - bitShiftRight(toInt64(c305), least(greatest(c302 - c372[3], 0), 63)), 0) + 1)), toUInt64(c372[5]), 0.)), arrayWithConstant(c372[5], 0.)), if(c302 >= c372[3] AND notEmpty(c308), arrayMap(n -> -n, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c307), least(greatest(c302 - c372[3], 0), 63)) - c372[6], 0), c372[7]), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c308, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c307 + j - 1), least(greatest(c302 - c372[3], 0), 63)), arrayEnumerate(c308))))), greatest(c372[6] - bitShiftRight(toInt64(c307), least(greatest(c302 - c372[3], 0), 63)), 0) + 1)), toUInt64(c372[7]), 0.)), arrayWithConstant(c372[7], 0.)))), CAST(map(), 'Map(UInt64, Array(Float64))')), (c375 AND (notEmpty(c372) AND c371 != c309))) AS c394
      FROM (
        WITH (c2 >= fromUnixTimestamp64Nano({p12:Int64}, 'UTC')) AS c365,
          lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c311,
          leadInFrame(c2) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c367,
          leadInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c368,
          leadInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c369,
          (c367 >= c2 AND (c367 >= fromUnixTimestamp64Nano({p12:Int64}, 'UTC'))  AND NOT c359 AND NOT c368 > c3 AND NOT c369 < c6) AS c370
        SELECT c1,
          c309,
          c10,
          c11,
          c304,
          c305,
          c302,
          c306,
          c307,
          c308,
          (c365 AND (NOT (c311 = 0) OR c359 OR (c3 >= fromUnixTimestamp64Nano({p12:Int64}, 'UTC')))) AS c366,
          leadInFrame(c309) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c371,
          c303,
          leadInFrame(c310) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c372,
          c297,
          if(c365, arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))), []) AS c376,
          if(c370, arrayFilter(b -> b >= fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AND b < fromUnixTimestamp64Nano(1795100400000000000, 'UTC'), arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), range(toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c367, 9, 'UTC')), 1800000000000)), toUInt64(intDiv(toUnixTimestamp64Nano(toDateTime64(c367, 9, 'UTC')) + 300000000000, 1800000000000) - 1) + 1))), []) AS c377
        FROM (
          WITH scale AS c12,
            zero_count AS c13,
            zero_threshold AS c14,
            positive_offset AS c15,
            positive_counts AS c16,
            negative_offset AS c17,
            negative_counts AS c18,
            materialize(if(ifNull((
            SELECT max((kind = {p13:String})) AS c298
            FROM metric_series
            WHERE workspace = {p3:UInt32}
            AND project = {p4:UInt32}
            AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
            AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
            AND (metric = {p7:String})
          ), false), (c12, c13, c14, c15, c16, c17, c18, cityHash64(cityHash64(c10, length(c11)), c14, c12, c15, length(c16), c17, length(c18)), [toInt64(c297), toInt64(length(c11)), toInt64(c12), toInt64(c15), toInt64(length(c16)), toInt64(c17), toInt64(length(c18))]), (toInt8(0), toUInt64(0), 0., toInt32(0), CAST([], 'Array(UInt64)'), toInt32(0), CAST([], 'Array(UInt64)'), c297, CAST([], 'Array(Int64)')))) AS c301
          SELECT series AS c1,
            tupleElement(c301, 8) AS c309,
            bounds AS c10,
            bucket_counts AS c11,
            tupleElement(c301, 3) AS c304,
            tupleElement(c301, 4) AS c305,
            tupleElement(c301, 1) AS c302,
            tupleElement(c301, 5) AS c306,
            tupleElement(c301, 6) AS c307,
            tupleElement(c301, 7) AS c308,
            fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') AS c2,
            materialize(if(ifNull((
            SELECT max((temporality = {p2:String})) AS c312
            FROM metric_series
            WHERE workspace = {p3:UInt32}
            AND project = {p4:UInt32}
            AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
            AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
            AND (metric = {p7:String})
          ), false), c1 IN (
            SELECT series AS c315
            FROM metric_series
            WHERE workspace = {p3:UInt32}
            AND project = {p4:UInt32}
            AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
            AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
            AND (metric = {p7:String})
            AND (temporality = 'delta')
            GROUP BY c315
          ), false)) AS c359,
            fromUnixTimestamp64Nano(toUnixTimestamp64Milli(start_time) * 1000000 + start_nanos, 'UTC') AS c3,
            tupleElement(c301, 2) AS c303,
            tupleElement(c301, 9) AS c310,
            cityHash64(c10, length(c11)) AS c297,
            count AS c6
          FROM metric_histograms
          WHERE workspace = {p3:UInt32}
          AND project = {p4:UInt32}
          AND time >= fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
          AND time < fromUnixTimestamp64Milli({p9:Int64}, 'UTC')
          AND (((metric = {p7:String}) AND NOT no_recorded_value) AND (fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC') OR NOT series IN (
            SELECT series AS c128
            FROM metric_histograms
            WHERE workspace = {p3:UInt32}
            AND project = {p4:UInt32}
            AND time >= fromUnixTimestamp64Milli({p10:Int64}, 'UTC')
            AND time < fromUnixTimestamp64Milli({p11:Int64}, 'UTC')
            AND ((metric = {p7:String}) AND NOT no_recorded_value)
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
      ARRAY JOIN arrayDistinct(arrayConcat(c376, c377)) AS c373,
        arrayMap(b -> has(c376, b), arrayDistinct(arrayConcat(c376, c377))) AS c374,
        arrayMap(b -> has(c377, b), arrayDistinct(arrayConcat(c376, c377))) AS c375
      WHERE (c374 OR c375)
      GROUP BY c378,
        c379,
        c400
    )
    GROUP BY c401,
      c402
    HAVING ifNull((CAST(NULL, 'Nullable(Float64)') > {p1:Float64}), false)
  )
) AS l
INNER JOIN (
  SELECT any(service) AS c424,
    series AS c416
  FROM metric_series
  WHERE workspace = {p3:UInt32}
  AND project = {p4:UInt32}
  AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
  AND (metric = {p7:String})
  GROUP BY c416
) AS r ON c408 = c416
GROUP BY c460,
  c461
ORDER BY c461,
  c460
LIMIT 1001
-- p1 = 0.1
-- p2 = "delta"
-- p3 = 7
-- p4 = 1
-- p5 = "1795096200000000000"
-- p6 = "1795100400000000000"
-- p7 = "requests"
-- p8 = "1795089600000"
-- p9 = "1795100400000"
-- p10 = "1795096200000"
-- p11 = "1795096800000"
-- p12 = "1795096800000000000"
-- p13 = "exponential_histogram"
