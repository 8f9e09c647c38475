-- metric size | increase | stats a=p25(value), b=p50(value), c=p75(value)
WITH arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2.1, arrayMap((n, z) -> n - z, q.2.1, q.2.2), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2.1), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2.1, q.2.2), q.1.4), [arrayMap(q -> (q, if(arrayAll((v, w) -> w.1 >= v.2 OR (w.1 = v.1 AND w.2 = v.2), arrayPopBack(arraySort(v -> (v.1, v.2), q.1)), arrayPopFront(arraySort(v -> (v.1, v.2), q.1))), arrayMap(e -> (arrayFilter((n, l) -> l, arrayCumSum(e -> e.2, e), arrayResize(arrayPushBack(arrayMap((e, f) -> e.1 != f.1, arrayPopBack(e), arrayPopFront(e)), true), length(e))), arrayMap(z -> arrayMap((a, b) -> a - b, z, arrayPopBack(arrayPushFront(z, 0.))), [arrayFilter((n, l) -> l, arrayCumSum(e -> e.3, e), arrayResize(arrayPushBack(arrayMap((e, f) -> e.1 != f.1, arrayPopBack(e), arrayPopFront(e)), true), length(e)))])[1]), [arraySort(e -> e.1, arrayConcat(arrayMap(v -> (v.1, 0., 0.), q.1), arrayMap(v -> (v.2, v.3, if(v.1 = v.2, v.3, 0.)), q.1)))])[1], (arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)))), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayMap(y -> y + 0., arrayConcat(q.1.1, q.1.2)))), 0.25 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(mapSort(k)), mapValues(mapSort(c))), o), [anyMap(c409)], [sumForEachMap(c410)], [quantileExactInclusiveOrNull(0.25)(c405)])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c455,
  arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2.1, arrayMap((n, z) -> n - z, q.2.1, q.2.2), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2.1), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2.1, q.2.2), q.1.4), [arrayMap(q -> (q, if(arrayAll((v, w) -> w.1 >= v.2 OR (w.1 = v.1 AND w.2 = v.2), arrayPopBack(arraySort(v -> (v.1, v.2), q.1)), arrayPopFront(arraySort(v -> (v.1, v.2), q.1))), arrayMap(e -> (arrayFilter((n, l) -> l, arrayCumSum(e -> e.2, e), arrayResize(arrayPushBack(arrayMap((e, f) -> e.1 != f.1, arrayPopBack(e), arrayPopFront(e)), true), length(e))), arrayMap(z -> arrayMap((a, b) -> a - b, z, arrayPopBack(arrayPushFront(z, 0.))), [arrayFilter((n, l) -> l, arrayCumSum(e -> e.3, e), arrayResize(arrayPushBack(arrayMap((e, f) -> e.1 != f.1, arrayPopBack(e), arrayPopFront(e)), true), length(e)))])[1]), [arraySort(e -> e.1, arrayConcat(arrayMap(v -> (v.1, 0., 0.), q.1), arrayMap(v -> (v.2, v.3, if(v.1 = v.2, v.3, 0.)), q.1)))])[1], (arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)))), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayMap(y -> y + 0., arrayConcat(q.1.1, q.1.2)))), 0.5 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(mapSort(k)), mapValues(mapSort(c))), o), [anyMap(c409)], [sumForEachMap(c410)], [quantileExactInclusiveOrNull(0.5)(c405)])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c456,
  arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2.1, arrayMap((n, z) -> n - z, q.2.1, q.2.2), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2.1), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2.1, q.2.2), q.1.4), [arrayMap(q -> (q, if(arrayAll((v, w) -> w.1 >= v.2 OR (w.1 = v.1 AND w.2 = v.2), arrayPopBack(arraySort(v -> (v.1, v.2), q.1)), arrayPopFront(arraySort(v -> (v.1, v.2), q.1))), arrayMap(e -> (arrayFilter((n, l) -> l, arrayCumSum(e -> e.2, e), arrayResize(arrayPushBack(arrayMap((e, f) -> e.1 != f.1, arrayPopBack(e), arrayPopFront(e)), true), length(e))), arrayMap(z -> arrayMap((a, b) -> a - b, z, arrayPopBack(arrayPushFront(z, 0.))), [arrayFilter((n, l) -> l, arrayCumSum(e -> e.3, e), arrayResize(arrayPushBack(arrayMap((e, f) -> e.1 != f.1, arrayPopBack(e), arrayPopFront(e)), true), length(e)))])[1]), [arraySort(e -> e.1, arrayConcat(arrayMap(v -> (v.1, 0., 0.), q.1), arrayMap(v -> (v.2, v.3, if(v.1 = v.2, v.3, 0.)), q.1)))])[1], (arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)))), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayMap(y -> y + 0., arrayConcat(q.1.1, q.1.2)))), 0.75 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(mapSort(k)), mapValues(mapSort(c))), o), [anyMap(c409)], [sumForEachMap(c410)], [quantileExactInclusiveOrNull(0.75)(c405)])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c457
SELECT c455 AS r1,
  c456 AS r2,
  c457 AS r3
FROM (
  WITH arrayCompact(c287) AS c289,
    arrayMap(c -> arraySum(c), arraySplit((x, y) -> y != 0, c286, arrayDifference(c287))) AS c288
  SELECT c291 AS c405,
    CAST(map(), 'Map(UInt64, Array(Tuple(Float64, Float64, Int8)))') AS c409,
    CAST(map(), 'Map(UInt64, Array(Float64))') AS c410
  FROM (
    WITH materialize(if(ifNull((
      SELECT max((temporality = {p1:String})) AS c238
      FROM metric_series
      WHERE workspace = {p2:UInt32}
      AND project = {p3:UInt32}
      AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
      AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
      AND (metric = {p6:String})
    ), false), c229 IN (
      SELECT series AS c241
      FROM metric_series
      WHERE workspace = {p2:UInt32}
      AND project = {p3:UInt32}
      AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
      AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
      AND (metric = {p6:String})
      AND (temporality = 'delta')
      GROUP BY c241
    ), false)) AS c285
    SELECT arrayMap(t -> if(t < 1795096800000000000, -1, 0), c235) AS c287,
      if(c285, c236, arrayMap((i, d, v, s, b) -> if(i = 1, v * (b >= 1795096800000000000), if(d < 0 OR s > 0, v, d)), arrayEnumerate(c236), arrayDifference(c236), c236, arrayDifference(c237), c237)) AS c286
    FROM (
      SELECT if(c233, tupleElement(c234, 1), c230) AS c235,
        c229,
        if(c233, tupleElement(c234, 2), c231) AS c236,
        if(c233, tupleElement(c234, 3), c232) AS c237
      FROM (
        SELECT (arrayMin(arrayPopFront(arrayDifference(c230))) <= 0) AS c233,
          if(c233, arrayReverse(arrayCompact(p -> p.1, arrayReverseSort(arrayZip(c230, c231, c232)))), []) AS c234,
          c230,
          c229,
          c231,
          c232
        FROM (
          SELECT groupArray(toUnixTimestamp64Nano(c2)) AS c230,
            groupArray(c4) AS c231,
            groupArray(toUnixTimestamp64Nano(c3)) AS c232,
            c1 AS c229
          FROM (
            SELECT fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') AS c2,
              value AS c4,
              fromUnixTimestamp64Nano(toUnixTimestamp64Milli(start_time) * 1000000 + start_nanos, 'UTC') AS c3,
              series AS c1
            FROM metric_points
            WHERE workspace = {p2:UInt32}
            AND project = {p3:UInt32}
            AND time >= fromUnixTimestamp64Milli({p7:Int64}, 'UTC')
            AND time < fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
            AND (((metric = {p6:String}) AND NOT no_recorded_value) AND (fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC') OR NOT series IN (
              SELECT series AS c105
              FROM metric_points
              WHERE workspace = {p2:UInt32}
              AND project = {p3:UInt32}
              AND time >= fromUnixTimestamp64Milli({p9:Int64}, 'UTC')
              AND time < fromUnixTimestamp64Milli({p10:Int64}, 'UTC')
              AND ((metric = {p6:String}) AND NOT no_recorded_value)
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
  UNION ALL WITH anyMap(map(c395, arrayConcat(arrayMap((l, h) -> (l, h, toInt8(127)), arrayResize(arrayPushFront(c390, if(c390[1] > 0, 0., -inf)), c378), arrayResize(arrayPushBack(c390, inf), c378, inf)), [(-c391, c391, toInt8(127))], arrayMap(i -> (toFloat64(1), toFloat64(c393 + i), c392), range(c381)), arrayMap(i -> (toFloat64((-1)), toFloat64(c394 + i), c392), range(c384))))) AS c400,
    sumForEachMap(map(c395, arrayConcat(arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c379, c378, 0), arrayResize(c380, c378, 0)), [toFloat64(toInt64(c387 - c388))], arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c382, c381, 0), arrayResize(c383, c381, 0)), arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c385, c384, 0), arrayResize(c386, c384, 0))))) AS c401,
    sumForEachMap(c389) AS c402,
    c373 AS c396,
    c374 AS c397
  SELECT CAST(NULL, 'Nullable(Float64)') AS c405,
    c400 AS c409,
    mapFromArrays(mapKeys(c401), arrayMap((k, c) -> arrayMap((a, b) -> a + b, c, arrayResize(c402[k], length(c), 0)), mapKeys(c401), mapValues(c401))) AS c410
  FROM (
    WITH max((c371 OR c372)) AS c377
    SELECT c306 AS c395,
      any(c10) AS c390,
      any(length(c11)) AS c378,
      any(c301) AS c391,
      any(c302) AS c393,
      any(c299) AS c392,
      any(length(c303)) AS c381,
      any(c304) AS c394,
      any(length(c305)) AS c384,
      sumForEachIf(c11, ((c371 AND c363) AND NOT (c372 AND c368 = c306))) AS c379,
      sumForEachIf(c11, ((c372 AND c368 = c306) AND NOT (c371 AND c363))) AS c380,
      sumIf(c300, ((c371 AND c363) AND NOT (c372 AND c368 = c306))) AS c387,
      sumIf(c300, ((c372 AND c368 = c306) AND NOT (c371 AND c363))) AS c388,
      sumForEachIf(c303, ((c371 AND c363) AND NOT (c372 AND c368 = c306))) AS c382,
      sumForEachIf(c303, ((c372 AND c368 = c306) AND NOT (c371 AND c363))) AS c383,
      sumForEachIf(c305, ((c371 AND c363) AND NOT (c372 AND c368 = c306))) AS c385,
      sumForEachIf(c305, ((c372 AND c368 = c306) AND NOT (c371 AND c363))) AS c386,
      sumForEachMapIf(if((notEmpty(c369) AND c368 != c306), map(c368, arrayConcat(if((c369[1] = toInt64(c294)), arrayMap(n -> -toFloat64(n), c11), arrayWithConstant(c369[2], 0.)), [if((c369[1] = toInt64(c294)), -toFloat64(c300), 0.)], if(c299 >= c369[3] AND notEmpty(c303), arrayMap(n -> -n, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c302), least(greatest(c299 - c369[3], 0), 63)) - c369[4], 0), c369[5]), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c303, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c302 + j - 1), least(greatest(c299 - c369[3], 0), 63)), arrayEnumerate(c303))))), greatest(c369[4] - bitShiftRight(toInt64(c302), least(greatest(c299 - c369[3], 0), 63)), 0) + 1)), toUInt64(c369[5]), 0.)), arrayWithConstant(c369[5], 0.)), if(c299 >= c369[3] AND notEmpty(c305), arrayMap(n -> -n, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c304), least(greatest(c299 - c369[3], 0), 63)) - c369[6], 0), c369[7]), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c305, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c304 + j - 1), least(greatest(c299 - c369[3], 0), 63)), arrayEnumerate(c305))))), greatest(c369[6] - bitShiftRight(toInt64(c304), least(greatest(c299 - c369[3], 0), 63)), 0) + 1)), toUInt64(c369[7]), 0.)), arrayWithConstant(c369[7], 0.)))), CAST(map(), 'Map(UInt64, Array(Float64))')), (c372 AND (notEmpty(c369) AND c368 != c306))) AS c389,
      c1 AS c373,
      c370 AS c374
    FROM (
      WITH (c2 >= fromUnixTimestamp64Nano({p11:Int64}, 'UTC')) AS c362,
        lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c308,
        leadInFrame(c2) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c364,
        leadInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c365,
        leadInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c366,
        (c364 >= c2 AND (c364 >= fromUnixTimestamp64Nano({p11:Int64}, 'UTC'))  AND NOT c356 AND NOT c365 > c3 AND NOT c366 < c6) AS c367
      SELECT c306,
        c10,
        c11,
        c301,
        c302,
        c299,
        c303,
        c304,
        c305,
        c362 AS c371,
        (c362 AND (NOT (c308 = 0) OR c356 OR (c3 >= fromUnixTimestamp64Nano({p11:Int64}, 'UTC')))) AS c363,
        c367 AS c372,
        leadInFrame(c306) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c368,
        c300,
        leadInFrame(c307) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c369,
        c294,
        c1,
        fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AS c370
      FROM (
        WITH scale AS c12,
          zero_count AS c13,
          zero_threshold AS c14,
          positive_offset AS c15,
          positive_counts AS c16,
          negative_offset AS c17,
          negative_counts AS c18,
          materialize(if(ifNull((
          SELECT max((kind = {p12:String})) AS c295
          FROM metric_series
          WHERE workspace = {p2:UInt32}
          AND project = {p3:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND (metric = {p6:String})
        ), false), (c12, c13, c14, c15, c16, c17, c18, cityHash64(cityHash64(c10, length(c11)), c14, c12, c15, length(c16), c17, length(c18)), [toInt64(c294), toInt64(length(c11)), toInt64(c12), toInt64(c15), toInt64(length(c16)), toInt64(c17), toInt64(length(c18))]), (toInt8(0), toUInt64(0), 0., toInt32(0), CAST([], 'Array(UInt64)'), toInt32(0), CAST([], 'Array(UInt64)'), c294, CAST([], 'Array(Int64)')))) AS c298
        SELECT tupleElement(c298, 8) AS c306,
          bounds AS c10,
          bucket_counts AS c11,
          tupleElement(c298, 3) AS c301,
          tupleElement(c298, 4) AS c302,
          tupleElement(c298, 1) AS c299,
          tupleElement(c298, 5) AS c303,
          tupleElement(c298, 6) AS c304,
          tupleElement(c298, 7) AS c305,
          fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') AS c2,
          series AS c1,
          materialize(if(ifNull((
          SELECT max((temporality = {p1:String})) AS c309
          FROM metric_series
          WHERE workspace = {p2:UInt32}
          AND project = {p3:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND (metric = {p6:String})
        ), false), c1 IN (
          SELECT series AS c312
          FROM metric_series
          WHERE workspace = {p2:UInt32}
          AND project = {p3:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND (metric = {p6:String})
          AND (temporality = 'delta')
          GROUP BY c312
        ), false)) AS c356,
          fromUnixTimestamp64Nano(toUnixTimestamp64Milli(start_time) * 1000000 + start_nanos, 'UTC') AS c3,
          count AS c6,
          tupleElement(c298, 2) AS c300,
          tupleElement(c298, 9) AS c307,
          cityHash64(c10, length(c11)) AS c294
        FROM metric_histograms
        WHERE workspace = {p2:UInt32}
        AND project = {p3:UInt32}
        AND time >= fromUnixTimestamp64Milli({p7:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
        AND (((metric = {p6:String}) AND NOT no_recorded_value) AND (fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC') OR NOT series IN (
          SELECT series AS c128
          FROM metric_histograms
          WHERE workspace = {p2:UInt32}
          AND project = {p3:UInt32}
          AND time >= fromUnixTimestamp64Milli({p9:Int64}, 'UTC')
          AND time < fromUnixTimestamp64Milli({p10:Int64}, 'UTC')
          AND ((metric = {p6:String}) AND NOT no_recorded_value)
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
    GROUP BY c373,
      c374,
      c395
    HAVING c377
  )
  GROUP BY c396,
    c397
)
LIMIT 1001
-- p1 = "delta"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096200000000000"
-- p5 = "1795100400000000000"
-- p6 = "size"
-- p7 = "1795089600000"
-- p8 = "1795100400000"
-- p9 = "1795096200000"
-- p10 = "1795096800000"
-- p11 = "1795096800000000000"
-- p12 = "exponential_histogram"
