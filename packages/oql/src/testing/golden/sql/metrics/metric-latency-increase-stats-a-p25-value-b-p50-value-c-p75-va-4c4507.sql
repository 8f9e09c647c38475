-- metric latency | increase | stats a=p25(value), b=p50(value), c=p75(value), d=p99(value), n=sum(count), mean=sum(sum) / sum(count)
WITH arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 0.25 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c193)], [sumForEachMap(c194)], [quantileExactInclusiveOrNull(0.25)(c190)])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c218,
  arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 0.5 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c193)], [sumForEachMap(c194)], [quantileExactInclusiveOrNull(0.5)(c190)])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c219,
  arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 0.75 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c193)], [sumForEachMap(c194)], [quantileExactInclusiveOrNull(0.75)(c190)])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c220,
  arrayMap(q -> multiIf(q.7.3, q.7.4, empty(q.1) OR arrayExists(v -> isNaN(v.1), q.7.1), NULL, q.5 > 0 AND q.7.2 AND q.6 > q.5, q.1[q.6], q.5 = 0, q.1[-1], q.5 = 1, q.1[1], arrayMap((a, b, n, m, t) -> if(t >= m OR m <= n, b, if((a * b <= 0 OR arrayExists(v -> NOT v.4 AND v.1 < b AND v.2 > a, q.7.1)), a + (b - a) * ((t - n) / (m - n)), a * pow(b / a, ((t - n) / (m - n))))), [q.1[q.5 - 1]], [q.1[q.5]], [q.2[q.5 - 1]], [q.3[q.5]], [q.4])[1]), [arrayMap(q -> (q.1.2, q.2, arrayMap((n, z) -> n - z, q.2, q.3), q.1.3, arrayFirstIndex(n -> n >= q.1.3 * 0.999999999999, q.2), arrayLastIndex((n, z) -> n - z <= q.1.3 * 1.000000000001, q.2, q.3), q.1.4), [arrayMap(q -> (q, arrayMap(y -> arraySum(v -> v.3 * multiIf(y >= v.2, 1., y <= v.1, 0., v.4, log(y / v.1) / log(v.2 / v.1), (y - v.1) / (v.2 - v.1)), q.1), q.2), arrayMap(y -> arraySum(v -> if(v.1 = y AND v.2 = y, v.3, 0.), q.1), q.2)), [arrayMap(q -> (q.1, arraySort(arrayDistinct(arrayConcat(q.1.1, q.1.2))), 0.99 * arraySum(q.1.3), q), [arrayMap(q -> (arrayMap(v -> multiIf(isFinite(v.2 - v.1), v, isFinite(v.1), (v.1, v.1, v.3, false), isFinite(v.2), (v.2, v.2, v.3, false), (nan, nan, v.3, false)), q.1), q.2, q.3, q.4), [arrayMap(q -> (arrayMap(v -> if(v.1.3 < 127, arrayMap(j -> if(v.1.1 > 0, (exp2(j * q.2), exp2((j + 1) * q.2), v.2, true), (-exp2((j + 1) * q.2), -exp2(j * q.2), v.2, true)), [floor(v.1.2 * exp2(-v.1.3) / q.2)])[1], (if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.3 AND NOT q.4, 0., v.1.1), if((v.1.1 = -v.1.2 AND isFinite(v.1.2)) AND q.4 AND NOT q.3, 0., v.1.2), v.2, false)), q.1.1), q.3 OR q.4, q.1.2, q.1.3), [arrayMap(q -> (q, exp2(-arrayMin(v -> v.1.3, q.1)), arrayExists(v -> v.1.3 < 127 AND v.1.1 > 0, q.1), arrayExists(v -> v.1.3 < 127 AND v.1.1 < 0, q.1)), [arrayMap(q -> (arrayFilter(v -> v.2 > 0, arrayZip(q.1.1, q.1.2)), empty(q.1.1), q.2), [arrayMap((k, c, o) -> (arrayReduce('sumMap', mapValues(k), arrayMap(h -> c[h], mapKeys(k))), o), [anyMap(c193)], [sumForEachMap(c194)], [quantileExactInclusiveOrNull(0.99)(c190)])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1]])[1] AS c221,
  ifNull(sum(c191), 0.) AS c222,
  (ifNull(sum(c192), 0.) / nullIf(ifNull(sum(c191), 0.), 0)) AS c223
SELECT c218 AS r1,
  c219 AS r2,
  c220 AS r3,
  c221 AS r4,
  c222 AS r5,
  c223 AS r6
FROM (
  WITH sumOrNull(c68) AS c99,
    c1 AS c97,
    fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AS c69,
    c69 AS c98
  SELECT c99 AS c190,
    CAST(NULL, 'Nullable(Float64)') AS c191,
    CAST(NULL, 'Nullable(Float64)') AS c192,
    CAST(map(), 'Map(UInt64, Array(Tuple(Float64, Float64, Int8)))') AS c193,
    CAST(map(), 'Map(UInt64, Array(Float64))') AS c194
  FROM (
    WITH lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c65,
      lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c67,
      lagInFrame(c4) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c66
    SELECT if(c96, toFloat64(c4), if((c65 = 0), if((c3 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')), toFloat64(c4), toFloat64(c4) * 0), if((c3 > c67) OR (c4 < c66), toFloat64(c4), toFloat64(c4) - c66))) AS c68,
      c2,
      c1
    FROM (
      SELECT materialize(if(ifNull((
        SELECT max((temporality = {p2:String})) AS c70
        FROM metric_series
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND (metric = {p7:String})
      ), false), c1 IN (
        WITH any(temporality) AS c75
        SELECT series AS c73
        FROM metric_series
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
        AND (metric = {p7:String})
        GROUP BY c73
        HAVING (c75 = 'delta')
      ), false)) AS c96,
        value AS c4,
        series AS c1,
        time AS c2,
        start_time AS c3
      FROM metric_points
      WHERE workspace = {p3:UInt32}
      AND project = {p4:UInt32}
      AND time >= fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Milli({p9:Int64}, 'UTC')
      AND (metric = {p7:String} AND NOT no_recorded_value)
      ORDER BY series,
        time,
        value DESC,
        start_time DESC
      LIMIT 1 BY series,
        time
    )
  )
  WHERE (c2 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC'))
  GROUP BY c97,
    c98
  UNION ALL WITH sumOrNull(c160) AS c183,
    sumOrNull(c161) AS c184,
    anyMap(map(c180, arrayConcat(arrayMap((l, h) -> (l, h, toInt8(127)), arrayResize(arrayPushFront(c175, if(c175[1] > 0, 0., -inf)), c163), arrayResize(arrayPushBack(c175, inf), c163, inf)), [(-c176, c176, toInt8(127))], arrayMap(i -> (toFloat64(1), toFloat64(c178 + i), c177), range(c166)), arrayMap(i -> (toFloat64((-1)), toFloat64(c179 + i), c177), range(c169))))) AS c185,
    sumForEachMap(map(c180, arrayConcat(arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c164, c163, 0), arrayResize(c165, c163, 0)), [toFloat64(toInt64(c172 - c173))], arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c167, c166, 0), arrayResize(c168, c166, 0)), arrayMap((a, b) -> toFloat64(toInt64(a - b)), arrayResize(c170, c169, 0), arrayResize(c171, c169, 0))))) AS c186,
    sumForEachMap(c174) AS c187,
    c158 AS c181,
    c159 AS c182
  SELECT CAST(NULL, 'Nullable(Float64)') AS c190,
    c183 AS c191,
    c184 AS c192,
    c185 AS c193,
    mapFromArrays(mapKeys(c186), arrayMap((k, c) -> arrayMap((a, b) -> a + b, c, arrayResize(c187[k], length(c), 0)), mapKeys(c186), mapValues(c186))) AS c194
  FROM (
    WITH max((c156 OR c157)) AS c162
    SELECT sumOrNullIf(c144, c156) AS c160,
      sumOrNullIf(c146, c156) AS c161,
      c112 AS c180,
      any(c9) AS c175,
      any(length(c10)) AS c163,
      any(c107) AS c176,
      any(c108) AS c178,
      any(c105) AS c177,
      any(length(c109)) AS c166,
      any(c110) AS c179,
      any(length(c111)) AS c169,
      sumForEachIf(c10, ((c156 AND c148) AND NOT (c157 AND c153 = c112))) AS c164,
      sumForEachIf(c10, ((c157 AND c153 = c112) AND NOT (c156 AND c148))) AS c165,
      sumIf(c106, ((c156 AND c148) AND NOT (c157 AND c153 = c112))) AS c172,
      sumIf(c106, ((c157 AND c153 = c112) AND NOT (c156 AND c148))) AS c173,
      sumForEachIf(c109, ((c156 AND c148) AND NOT (c157 AND c153 = c112))) AS c167,
      sumForEachIf(c109, ((c157 AND c153 = c112) AND NOT (c156 AND c148))) AS c168,
      sumForEachIf(c111, ((c156 AND c148) AND NOT (c157 AND c153 = c112))) AS c170,
      sumForEachIf(c111, ((c157 AND c153 = c112) AND NOT (c156 AND c148))) AS c171,
      sumForEachMapIf(if((notEmpty(c154) AND c153 != c112), map(c153, arrayConcat(if((c154[1] = toInt64(c100)), arrayMap(n -> -toFloat64(n), c10), arrayWithConstant(c154[2], 0.)), [if((c154[1] = toInt64(c100)), -toFloat64(c106), 0.)], if(c105 >= c154[3] AND notEmpty(c109), arrayMap(i -> -arraySum((n, j) -> if(bitShiftRight(toInt32(c108 + j - 1), greatest(c105 - c154[3], 0)) = c154[4] + i, toFloat64(n), 0.), c109, arrayEnumerate(c109)), range(toUInt64(c154[5]))), arrayWithConstant(c154[5], 0.)), if(c105 >= c154[3] AND notEmpty(c111), arrayMap(i -> -arraySum((n, j) -> if(bitShiftRight(toInt32(c110 + j - 1), greatest(c105 - c154[3], 0)) = c154[6] + i, toFloat64(n), 0.), c111, arrayEnumerate(c111)), range(toUInt64(c154[7]))), arrayWithConstant(c154[7], 0.)))), CAST(map(), 'Map(UInt64, Array(Float64))')), (c157 AND (notEmpty(c154) AND c153 != c112))) AS c174,
      c1 AS c158,
      c155 AS c159
    FROM (
      WITH lagInFrame(toUInt8(1)) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c114,
        lagInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c142,
        lagInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c143,
        (c2 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')) AS c147,
        lagInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c145,
        leadInFrame(c2) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c149,
        leadInFrame(c3) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c150,
        leadInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c151,
        (c149 >= c2 AND (c149 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC'))  AND NOT c141 AND NOT c150 > c3 AND NOT c151 < c5) AS c152
      SELECT if(c141, toFloat64(c5), if((c114 = 0), if((c3 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')), toFloat64(c5), toFloat64(c5) * 0), if((c3 > c142) OR (c5 < c143), toFloat64(c5), toFloat64(c5) - c143))) AS c144,
        c147 AS c156,
        if(c141, toFloat64(c6), if((c114 = 0), if((c3 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')), toFloat64(c6), toFloat64(c6) * 0), if((c3 > c142) OR (c5 < c143), toFloat64(c6), toFloat64(c6) - c145))) AS c146,
        c112,
        c9,
        c10,
        c107,
        c108,
        c105,
        c109,
        c110,
        c111,
        (c147 AND (NOT (c114 = 0) OR c141 OR (c3 >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')))) AS c148,
        c152 AS c157,
        leadInFrame(c112) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c153,
        c106,
        leadInFrame(c113) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c154,
        c100,
        c1,
        fromUnixTimestamp64Nano(1795096800000000000, 'UTC') AS c155
      FROM (
        WITH scale AS c11,
          zero_count AS c12,
          zero_threshold AS c13,
          positive_offset AS c14,
          positive_counts AS c15,
          negative_offset AS c16,
          negative_counts AS c17,
          materialize(if(ifNull((
          SELECT max((kind = {p10:String})) AS c101
          FROM metric_series
          WHERE workspace = {p3:UInt32}
          AND project = {p4:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND (metric = {p7:String})
        ), false), (c11, c12, c13, c14, c15, c16, c17, cityHash64(cityHash64(c9, length(c10)), c13, c11, c14, length(c15), c16, length(c17)), [toInt64(c100), toInt64(length(c10)), toInt64(c11), toInt64(c14), toInt64(length(c15)), toInt64(c16), toInt64(length(c17))]), (toInt8(0), toUInt64(0), 0., toInt32(0), CAST([], 'Array(UInt64)'), toInt32(0), CAST([], 'Array(UInt64)'), c100, CAST([], 'Array(Int64)')))) AS c104
        SELECT materialize(if(ifNull((
          SELECT max((temporality = {p2:String})) AS c115
          FROM metric_series
          WHERE workspace = {p3:UInt32}
          AND project = {p4:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND (metric = {p7:String})
        ), false), c1 IN (
          WITH any(temporality) AS c120
          SELECT series AS c118
          FROM metric_series
          WHERE workspace = {p3:UInt32}
          AND project = {p4:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND (metric = {p7:String})
          GROUP BY c118
          HAVING (c120 = 'delta')
        ), false)) AS c141,
          count AS c5,
          series AS c1,
          time AS c2,
          start_time AS c3,
          sum AS c6,
          tupleElement(c104, 8) AS c112,
          bounds AS c9,
          bucket_counts AS c10,
          tupleElement(c104, 3) AS c107,
          tupleElement(c104, 4) AS c108,
          tupleElement(c104, 1) AS c105,
          tupleElement(c104, 5) AS c109,
          tupleElement(c104, 6) AS c110,
          tupleElement(c104, 7) AS c111,
          tupleElement(c104, 2) AS c106,
          tupleElement(c104, 9) AS c113,
          cityHash64(c9, length(c10)) AS c100
        FROM metric_histograms
        WHERE workspace = {p3:UInt32}
        AND project = {p4:UInt32}
        AND time >= fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Milli({p9:Int64}, 'UTC')
        AND (metric = {p7:String} AND NOT no_recorded_value)
        ORDER BY series,
          time,
          count DESC,
          sum DESC,
          start_time DESC
        LIMIT 1 BY series,
          time
      )
    )
    GROUP BY c158,
      c159,
      c180
    HAVING c162
  )
  GROUP BY c181,
    c182
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
