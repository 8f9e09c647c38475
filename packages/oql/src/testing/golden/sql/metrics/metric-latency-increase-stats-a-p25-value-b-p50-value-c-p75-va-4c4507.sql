-- metric latency | increase | stats a=p25(value), b=p50(value), c=p75(value), d=p99(value), n=sum(count), mean=sum(sum) / sum(count)
WITH arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 0.25 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c262)], [sumForEachMap(c263)], [quantileExactInclusiveOrNull(0.25)(c258)])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c308,
  arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 0.5 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c262)], [sumForEachMap(c263)], [quantileExactInclusiveOrNull(0.5)(c258)])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c309,
  arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 0.75 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c262)], [sumForEachMap(c263)], [quantileExactInclusiveOrNull(0.75)(c258)])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c310,
  arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 0.99 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c262)], [sumForEachMap(c263)], [quantileExactInclusiveOrNull(0.99)(c258)])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c311,
  ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(c260)], [sumOrNull(c260)])[1], 0.) AS c312,
  (ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(c261)], [sumOrNull(c261)])[1], 0.) / nullIf(ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(c260)], [sumOrNull(c260)])[1], 0.), 0)) AS c313
SELECT c308 AS r1,
  c309 AS r2,
  c310 AS r3,
  c311 AS r4,
  c312 AS r5,
  c313 AS r6
FROM (
  WITH sumOrNull(c93) AS c145,
    c1 AS c143,
    fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AS c94,
    c94 AS c144
  SELECT c145 AS c258,
    CAST(NULL, 'Nullable(Float64)') AS c260,
    CAST(NULL, 'Nullable(Float64)') AS c261,
    CAST(map(), 'Map(UInt64, Array(Tuple(Float64, Float64, Int8)))') AS c262,
    CAST(map(), 'Map(UInt64, Array(Float64))') AS c263
  FROM (
    WITH lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c90,
      lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c92,
      lagInFrame(c4) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c91
    SELECT if(c142, toFloat64(c4), if((c90 = 0), if((c3 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')), toFloat64(c4), toFloat64(c4) * 0), if((c3 > c92) OR (c4 < c91), toFloat64(c4), toFloat64(c4) - c91))) AS c93,
      c2,
      c1
    FROM (
      SELECT materialize(if(ifNull((
        SELECT max((temporality = {p2:String})) AS c95
        FROM metric_series
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND (metric = {p7:String})
      ), false), c1 IN (
        WITH any(temporality) AS c102
        SELECT series AS c98
        FROM metric_series
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND (metric = {p7:String})
        GROUP BY c98
        HAVING (c102 = 'delta')
      ), false)) AS c142,
        value AS c4,
        series AS c1,
        time AS c2,
        start_time AS c3
      FROM metric_points
      WHERE workspace = {p3:UInt32}
      AND project = {p4:UInt32}
      AND time >= fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Milli({p9:Int64}, 'UTC')
      AND ((metric = {p7:String}) AND NOT no_recorded_value)
      ORDER BY series,
        time,
        value DESC,
        start_time DESC
      LIMIT 1 BY series,
        time
    )
  )
  WHERE (c2 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC'))
  GROUP BY c143,
    c144
  UNION ALL WITH sumOrNull(c228) AS c251,
    sumOrNull(c229) AS c252,
    anyMap(map(c248, arrayConcat(arrayMap((l, h) -> (l, h, toInt8(127)), arrayResize(arrayPushFront(c243, if(c243[1] > 0, 0., -inf)), c231), arrayResize(arrayPushBack(c243, inf), c231, inf)), [(-c244, c244, toInt8(127))], arrayMap(i -> (toFloat64(1), toFloat64(c246 + i), c245), range(c234)), arrayMap(i -> (toFloat64((-1)), toFloat64(c247 + i), c245), range(c237))))) AS c253,
    sumForEachMap(map(c248, arrayConcat(arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c232, c231, 0), arrayResize(c233, c231, 0)), [toFloat64(toInt64(c240 - c241))], arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c235, c234, 0), arrayResize(c236, c234, 0)), arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c238, c237, 0), arrayResize(c239, c237, 0))))) AS c254,
    sumForEachMap(c242) AS c255,
    c226 AS c249,
    c227 AS c250
  SELECT CAST(NULL, 'Nullable(Float64)') AS c258,
    c251 AS c260,
    c252 AS c261,
    c253 AS c262,
    mapFromArrays(mapKeys(c254), arrayMap((k, c) -> arrayMap((a, b) -> a + b, c, arrayResize(c255[k], length(c), 0)), mapKeys(c254), mapValues(c254))) AS c263
  FROM (
    WITH max((c224 OR c225)) AS c230
    SELECT sumOrNullIf(c212, c224) AS c228,
      sumOrNullIf(c214, c224) AS c229,
      c159 AS c248,
      any(c9) AS c243,
      any(length(c10)) AS c231,
      any(c154) AS c244,
      any(c155) AS c246,
      any(c152) AS c245,
      any(length(c156)) AS c234,
      any(c157) AS c247,
      any(length(c158)) AS c237,
      sumForEachIf(c10, ((c224 AND c216) AND NOT (c225 AND c221 = c159))) AS c232,
      sumForEachIf(c10, ((c225 AND c221 = c159) AND NOT (c224 AND c216))) AS c233,
      sumIf(c153, ((c224 AND c216) AND NOT (c225 AND c221 = c159))) AS c240,
      sumIf(c153, ((c225 AND c221 = c159) AND NOT (c224 AND c216))) AS c241,
      sumForEachIf(c156, ((c224 AND c216) AND NOT (c225 AND c221 = c159))) AS c235,
      sumForEachIf(c156, ((c225 AND c221 = c159) AND NOT (c224 AND c216))) AS c236,
      sumForEachIf(c158, ((c224 AND c216) AND NOT (c225 AND c221 = c159))) AS c238,
      sumForEachIf(c158, ((c225 AND c221 = c159) AND NOT (c224 AND c216))) AS c239,
      sumForEachMapIf(if((notEmpty(c222) AND c221 != c159), map(c221, arrayConcat(if((c222[1] = toInt64(c147)), arrayMap(n -> -toFloat64(n), c10), arrayWithConstant(c222[2], 0.)), [if((c222[1] = toInt64(c147)), -toFloat64(c153), 0.)], if(c152 >= c222[3] AND notEmpty(c156), arrayMap(i -> -arraySum((n, j) -> if(bitShiftRight(toInt32(c155 + j - 1), greatest(c152 - c222[3], 0)) = c222[4] + i, toFloat64(n), 0.), c156, arrayEnumerate(c156)), range(toUInt64(c222[5]))), arrayWithConstant(c222[5], 0.)), if(c152 >= c222[3] AND notEmpty(c158), arrayMap(i -> -arraySum((n, j) -> if(bitShiftRight(toInt32(c157 + j - 1), greatest(c152 - c222[3], 0)) = c222[6] + i, toFloat64(n), 0.), c158, arrayEnumerate(c158)), range(toUInt64(c222[7]))), arrayWithConstant(c222[7], 0.)))), CAST(map(), 'Map(UInt64, Array(Float64))')), (c225 AND (notEmpty(c222) AND c221 != c159))) AS c242,
      c1 AS c226,
      c223 AS c227
    FROM (
      WITH lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c161,
        lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c210,
        lagInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c211,
        (c2 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')) AS c215,
        lagInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c213,
        leadInFrame(c2) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c217,
        leadInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c218,
        leadInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c219,
        (c217 >= c2 AND (c217 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC'))  AND NOT c209 AND NOT c218 > c3 AND NOT c219 < c5) AS c220
      SELECT if(c209, toFloat64(c5), if((c161 = 0), if((c3 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')), toFloat64(c5), toFloat64(c5) * 0), if((c3 > c210) OR (c5 < c211), toFloat64(c5), toFloat64(c5) - c211))) AS c212,
        c215 AS c224,
        if(c209, toFloat64(c6), if((c161 = 0), if((c3 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')), toFloat64(c6), toFloat64(c6) * 0), if((c3 > c210) OR (c5 < c211), toFloat64(c6), toFloat64(c6) - c213))) AS c214,
        c159,
        c9,
        c10,
        c154,
        c155,
        c152,
        c156,
        c157,
        c158,
        (c215 AND (NOT (c161 = 0) OR c209 OR (c3 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')))) AS c216,
        c220 AS c225,
        leadInFrame(c159) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c221,
        c153,
        leadInFrame(c160) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c222,
        c147,
        c1,
        fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AS c223
      FROM (
        WITH scale AS c11,
          zero_count AS c12,
          zero_threshold AS c13,
          positive_offset AS c14,
          positive_counts AS c15,
          negative_offset AS c16,
          negative_counts AS c17,
          materialize(if(ifNull((
          SELECT max((kind = {p10:String})) AS c148
          FROM metric_series
          WHERE workspace = {p3:UInt32}
          AND project = {p4:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND (metric = {p7:String})
        ), false), (c11, c12, c13, c14, c15, c16, c17, cityHash64(cityHash64(c9, length(c10)), c13, c11, c14, length(c15), c16, length(c17)), [toInt64(c147), toInt64(length(c10)), toInt64(c11), toInt64(c14), toInt64(length(c15)), toInt64(c16), toInt64(length(c17))]), (toInt8(0), toUInt64(0), 0., toInt32(0), CAST([], 'Array(UInt64)'), toInt32(0), CAST([], 'Array(UInt64)'), c147, CAST([], 'Array(Int64)')))) AS c151
        SELECT materialize(if(ifNull((
          SELECT max((temporality = {p2:String})) AS c162
          FROM metric_series
          WHERE workspace = {p3:UInt32}
          AND project = {p4:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND (metric = {p7:String})
        ), false), c1 IN (
          WITH any(temporality) AS c169
          SELECT series AS c165
          FROM metric_series
          WHERE workspace = {p3:UInt32}
          AND project = {p4:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND (metric = {p7:String})
          GROUP BY c165
          HAVING (c169 = 'delta')
        ), false)) AS c209,
          count AS c5,
          series AS c1,
          time AS c2,
          start_time AS c3,
          sum AS c6,
          tupleElement(c151, 8) AS c159,
          bounds AS c9,
          bucket_counts AS c10,
          tupleElement(c151, 3) AS c154,
          tupleElement(c151, 4) AS c155,
          tupleElement(c151, 1) AS c152,
          tupleElement(c151, 5) AS c156,
          tupleElement(c151, 6) AS c157,
          tupleElement(c151, 7) AS c158,
          tupleElement(c151, 2) AS c153,
          tupleElement(c151, 9) AS c160,
          cityHash64(c9, length(c10)) AS c147
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
    GROUP BY c226,
      c227,
      c248
    HAVING c230
  )
  GROUP BY c249,
    c250
)
LIMIT 1001
-- p1 = "1795096800000000000"
-- p2 = "delta"
-- p3 = 7
-- p4 = 1
-- p5 = "1795096200000000000"
-- p6 = "1795100400000000000"
-- p7 = "latency"
-- p8 = "1795096200000"
-- p9 = "1795100400000"
-- p10 = "exponential_histogram"
