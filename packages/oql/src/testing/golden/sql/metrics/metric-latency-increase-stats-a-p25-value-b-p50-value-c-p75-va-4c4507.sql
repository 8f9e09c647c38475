-- metric latency | increase | stats a=p25(value), b=p50(value), c=p75(value), d=p99(value), n=sum(count), mean=sum(sum) / sum(count)
WITH arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 0.25 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c208)], [sumForEachMap(c209)], [quantileExactInclusiveOrNull(0.25)(c204)])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c236,
  arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 0.5 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c208)], [sumForEachMap(c209)], [quantileExactInclusiveOrNull(0.5)(c204)])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c237,
  arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 0.75 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c208)], [sumForEachMap(c209)], [quantileExactInclusiveOrNull(0.75)(c204)])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c238,
  arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 0.99 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c208)], [sumForEachMap(c209)], [quantileExactInclusiveOrNull(0.99)(c204)])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c239,
  ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(c206)], [sumOrNull(c206)])[1], 0.) AS c240,
  (ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(c207)], [sumOrNull(c207)])[1], 0.) / nullIf(ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(c206)], [sumOrNull(c206)])[1], 0.), 0)) AS c241
SELECT c236 AS r1,
  c237 AS r2,
  c238 AS r3,
  c239 AS r4,
  c240 AS r5,
  c241 AS r6
FROM (
  WITH sumOrNull(c75) AS c109,
    c1 AS c107,
    fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AS c76,
    c76 AS c108
  SELECT c109 AS c204,
    CAST(NULL, 'Nullable(Float64)') AS c206,
    CAST(NULL, 'Nullable(Float64)') AS c207,
    CAST(map(), 'Map(UInt64, Array(Tuple(Float64, Float64, Int8)))') AS c208,
    CAST(map(), 'Map(UInt64, Array(Float64))') AS c209
  FROM (
    WITH lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c72,
      lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c74,
      lagInFrame(c4) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c73
    SELECT if(c106, toFloat64(c4), if((c72 = 0), if((c3 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')), toFloat64(c4), toFloat64(c4) * 0), if((c3 > c74) OR (c4 < c73), toFloat64(c4), toFloat64(c4) - c73))) AS c75,
      c2,
      c1
    FROM (
      SELECT materialize(if(ifNull((
        SELECT max((temporality = {p2:String})) AS c77
        FROM metric_series
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND (metric = {p7:String})
      ), false), c1 IN (
        WITH any(temporality) AS c84
        SELECT series AS c80
        FROM metric_series
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND (metric = {p7:String})
        GROUP BY c80
        HAVING (c84 = 'delta')
      ), false)) AS c106,
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
  GROUP BY c107,
    c108
  UNION ALL WITH sumOrNull(c174) AS c197,
    sumOrNull(c175) AS c198,
    anyMap(map(c194, arrayConcat(arrayMap((l, h) -> (l, h, toInt8(127)), arrayResize(arrayPushFront(c189, if(c189[1] > 0, 0., -inf)), c177), arrayResize(arrayPushBack(c189, inf), c177, inf)), [(-c190, c190, toInt8(127))], arrayMap(i -> (toFloat64(1), toFloat64(c192 + i), c191), range(c180)), arrayMap(i -> (toFloat64((-1)), toFloat64(c193 + i), c191), range(c183))))) AS c199,
    sumForEachMap(map(c194, arrayConcat(arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c178, c177, 0), arrayResize(c179, c177, 0)), [toFloat64(toInt64(c186 - c187))], arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c181, c180, 0), arrayResize(c182, c180, 0)), arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c184, c183, 0), arrayResize(c185, c183, 0))))) AS c200,
    sumForEachMap(c188) AS c201,
    c172 AS c195,
    c173 AS c196
  SELECT CAST(NULL, 'Nullable(Float64)') AS c204,
    c197 AS c206,
    c198 AS c207,
    c199 AS c208,
    mapFromArrays(mapKeys(c200), arrayMap((k, c) -> arrayMap((a, b) -> a + b, c, arrayResize(c201[k], length(c), 0)), mapKeys(c200), mapValues(c200))) AS c209
  FROM (
    WITH max((c170 OR c171)) AS c176
    SELECT sumOrNullIf(c158, c170) AS c174,
      sumOrNullIf(c160, c170) AS c175,
      c123 AS c194,
      any(c9) AS c189,
      any(length(c10)) AS c177,
      any(c118) AS c190,
      any(c119) AS c192,
      any(c116) AS c191,
      any(length(c120)) AS c180,
      any(c121) AS c193,
      any(length(c122)) AS c183,
      sumForEachIf(c10, ((c170 AND c162) AND NOT (c171 AND c167 = c123))) AS c178,
      sumForEachIf(c10, ((c171 AND c167 = c123) AND NOT (c170 AND c162))) AS c179,
      sumIf(c117, ((c170 AND c162) AND NOT (c171 AND c167 = c123))) AS c186,
      sumIf(c117, ((c171 AND c167 = c123) AND NOT (c170 AND c162))) AS c187,
      sumForEachIf(c120, ((c170 AND c162) AND NOT (c171 AND c167 = c123))) AS c181,
      sumForEachIf(c120, ((c171 AND c167 = c123) AND NOT (c170 AND c162))) AS c182,
      sumForEachIf(c122, ((c170 AND c162) AND NOT (c171 AND c167 = c123))) AS c184,
      sumForEachIf(c122, ((c171 AND c167 = c123) AND NOT (c170 AND c162))) AS c185,
      sumForEachMapIf(if((notEmpty(c168) AND c167 != c123), map(c167, arrayConcat(if((c168[1] = toInt64(c111)), arrayMap(n -> -toFloat64(n), c10), arrayWithConstant(c168[2], 0.)), [if((c168[1] = toInt64(c111)), -toFloat64(c117), 0.)], if(c116 >= c168[3] AND notEmpty(c120), arrayMap(i -> -arraySum((n, j) -> if(bitShiftRight(toInt32(c119 + j - 1), greatest(c116 - c168[3], 0)) = c168[4] + i, toFloat64(n), 0.), c120, arrayEnumerate(c120)), range(toUInt64(c168[5]))), arrayWithConstant(c168[5], 0.)), if(c116 >= c168[3] AND notEmpty(c122), arrayMap(i -> -arraySum((n, j) -> if(bitShiftRight(toInt32(c121 + j - 1), greatest(c116 - c168[3], 0)) = c168[6] + i, toFloat64(n), 0.), c122, arrayEnumerate(c122)), range(toUInt64(c168[7]))), arrayWithConstant(c168[7], 0.)))), CAST(map(), 'Map(UInt64, Array(Float64))')), (c171 AND (notEmpty(c168) AND c167 != c123))) AS c188,
      c1 AS c172,
      c169 AS c173
    FROM (
      WITH lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c125,
        lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c156,
        lagInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c157,
        (c2 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')) AS c161,
        lagInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c159,
        leadInFrame(c2) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c163,
        leadInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c164,
        leadInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c165,
        (c163 >= c2 AND (c163 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC'))  AND NOT c155 AND NOT c164 > c3 AND NOT c165 < c5) AS c166
      SELECT if(c155, toFloat64(c5), if((c125 = 0), if((c3 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')), toFloat64(c5), toFloat64(c5) * 0), if((c3 > c156) OR (c5 < c157), toFloat64(c5), toFloat64(c5) - c157))) AS c158,
        c161 AS c170,
        if(c155, toFloat64(c6), if((c125 = 0), if((c3 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')), toFloat64(c6), toFloat64(c6) * 0), if((c3 > c156) OR (c5 < c157), toFloat64(c6), toFloat64(c6) - c159))) AS c160,
        c123,
        c9,
        c10,
        c118,
        c119,
        c116,
        c120,
        c121,
        c122,
        (c161 AND (NOT (c125 = 0) OR c155 OR (c3 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')))) AS c162,
        c166 AS c171,
        leadInFrame(c123) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c167,
        c117,
        leadInFrame(c124) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c168,
        c111,
        c1,
        fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AS c169
      FROM (
        WITH scale AS c11,
          zero_count AS c12,
          zero_threshold AS c13,
          positive_offset AS c14,
          positive_counts AS c15,
          negative_offset AS c16,
          negative_counts AS c17,
          materialize(if(ifNull((
          SELECT max((kind = {p10:String})) AS c112
          FROM metric_series
          WHERE workspace = {p3:UInt32}
          AND project = {p4:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND (metric = {p7:String})
        ), false), (c11, c12, c13, c14, c15, c16, c17, cityHash64(cityHash64(c9, length(c10)), c13, c11, c14, length(c15), c16, length(c17)), [toInt64(c111), toInt64(length(c10)), toInt64(c11), toInt64(c14), toInt64(length(c15)), toInt64(c16), toInt64(length(c17))]), (toInt8(0), toUInt64(0), 0., toInt32(0), CAST([], 'Array(UInt64)'), toInt32(0), CAST([], 'Array(UInt64)'), c111, CAST([], 'Array(Int64)')))) AS c115
        SELECT materialize(if(ifNull((
          SELECT max((temporality = {p2:String})) AS c126
          FROM metric_series
          WHERE workspace = {p3:UInt32}
          AND project = {p4:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND (metric = {p7:String})
        ), false), c1 IN (
          WITH any(temporality) AS c133
          SELECT series AS c129
          FROM metric_series
          WHERE workspace = {p3:UInt32}
          AND project = {p4:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND (metric = {p7:String})
          GROUP BY c129
          HAVING (c133 = 'delta')
        ), false)) AS c155,
          count AS c5,
          series AS c1,
          time AS c2,
          start_time AS c3,
          sum AS c6,
          tupleElement(c115, 8) AS c123,
          bounds AS c9,
          bucket_counts AS c10,
          tupleElement(c115, 3) AS c118,
          tupleElement(c115, 4) AS c119,
          tupleElement(c115, 1) AS c116,
          tupleElement(c115, 5) AS c120,
          tupleElement(c115, 6) AS c121,
          tupleElement(c115, 7) AS c122,
          tupleElement(c115, 2) AS c117,
          tupleElement(c115, 9) AS c124,
          cityHash64(c9, length(c10)) AS c111
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
    GROUP BY c172,
      c173,
      c194
    HAVING c176
  )
  GROUP BY c195,
    c196
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
