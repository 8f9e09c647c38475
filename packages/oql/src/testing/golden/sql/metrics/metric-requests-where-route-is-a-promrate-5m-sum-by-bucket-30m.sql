-- metric requests | where route == "/a" | promrate 5m | sum by bucket(30m)
WITH toStartOfInterval(c118, toIntervalSecond(1800)) AS c168,
  ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(coalesce(c164, c166))], [sumOrNull(coalesce(c164, c166))])[1], 0.) AS c169
SELECT c168 AS r1,
  c169 AS r2
FROM (
  WITH argMax(toFloat64(c4), c109) AS c145,
    argMin(toFloat64(c4), c109) AS c144,
    sum(c110) AS c146,
    argMin(c110, c109) AS c147,
    ((c145 - c144) + (c146 - c147)) AS c160,
    max(c109) AS c143,
    min(c109) AS c142,
    ((c143 - c142) / 1e9) AS c159,
    c116 AS c119,
    count() AS c141,
    argMax(toFloat64(c6), c109) AS c149,
    argMin(toFloat64(c6), c109) AS c148,
    sum(c111) AS c150,
    argMin(c111, c109) AS c151,
    ((c149 - c148) + (c150 - c151)) AS c161,
    (if(c159 = 0, 1., (c159 + least(if(((c142 - (c119 - 300000000000)) / 1e9) >= (c159 / (c141 - 1)) * 1.1, (c159 / (c141 - 1)) / 2, ((c142 - (c119 - 300000000000)) / 1e9)), if(coalesce(c160, c161) > 0 AND coalesce(c144, c148) >= 0, c159 * (coalesce(c144, c148) / coalesce(c160, c161)), if(((c142 - (c119 - 300000000000)) / 1e9) >= (c159 / (c141 - 1)) * 1.1, (c159 / (c141 - 1)) / 2, ((c142 - (c119 - 300000000000)) / 1e9)))) + if(((c119 - c143) / 1e9) >= (c159 / (c141 - 1)) * 1.1, (c159 / (c141 - 1)) / 2, ((c119 - c143) / 1e9))) / c159) / 300) AS c163,
    argMax(toFloat64(c7), c109) AS c153,
    argMin(toFloat64(c7), c109) AS c152,
    sum(c112) AS c154,
    argMin(c112, c109) AS c155,
    ((c153 - c152) + (c154 - c155)) AS c162,
    c1 AS c117
  SELECT c115 AS c118,
    (c160 * c163) AS c164,
    (c162 * c163) AS c166
  FROM (
    WITH lagInFrame(c4) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c107,
      lagInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c105,
      lagInFrame(c13) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c98,
      lagInFrame(c14) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c106,
      lagInFrame(c10) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c99,
      lagInFrame(c11) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c97,
      lagInFrame(c12) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c100,
      lagInFrame(c15) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c102,
      lagInFrame(c16) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c101,
      lagInFrame(c17) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c104,
      lagInFrame(c18) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c103,
      lagInFrame(c7) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c108
    SELECT c4,
      toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')) AS c109,
      if(((c56 = 'delta') OR ifNull(c4 < c107, false)), ifNull(toFloat64(c107), 0.), 0.) AS c110,
      c6,
      if(((c56 = 'delta') OR multiIf((ifNull(c6 < c105, false) OR ifNull(c13 < c98, false) OR ifNull(c14 < c106, false)), true, NOT (c99 = c10 AND length(c97) = length(c11)), true, arrayExists(n -> n < 0, arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c11), toFloat64(c13)), arrayPushBack(arrayMap(n -> toFloat64(n), c97), toFloat64(c98)))), true, NOT (c100 >= c12), true, ((arrayExists(n -> n < 0, arrayMap((c, b) -> toFloat64(c) - b, c16, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c102), least(greatest(c100 - c12, 0), 63)) - c15, 0), length(c16)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c101, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c102 + j - 1), least(greatest(c100 - c12, 0), 63)), arrayEnumerate(c101))))), greatest(c15 - bitShiftRight(toInt64(c102), least(greatest(c100 - c12, 0), 63)), 0) + 1)), toUInt64(length(c16)), 0.))) OR arraySum(arrayMap(n -> toFloat64(n), c16)) - arraySum(arrayMap((c, b) -> toFloat64(c) - b, c16, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c102), least(greatest(c100 - c12, 0), 63)) - c15, 0), length(c16)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c101, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c102 + j - 1), least(greatest(c100 - c12, 0), 63)), arrayEnumerate(c101))))), greatest(c15 - bitShiftRight(toInt64(c102), least(greatest(c100 - c12, 0), 63)), 0) + 1)), toUInt64(length(c16)), 0.))) < arraySum(arrayMap(n -> toFloat64(n), c101))) OR (arrayExists(n -> n < 0, arrayMap((c, b) -> toFloat64(c) - b, c18, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c104), least(greatest(c100 - c12, 0), 63)) - c17, 0), length(c18)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c103, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c104 + j - 1), least(greatest(c100 - c12, 0), 63)), arrayEnumerate(c103))))), greatest(c17 - bitShiftRight(toInt64(c104), least(greatest(c100 - c12, 0), 63)), 0) + 1)), toUInt64(length(c18)), 0.))) OR arraySum(arrayMap(n -> toFloat64(n), c18)) - arraySum(arrayMap((c, b) -> toFloat64(c) - b, c18, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c104), least(greatest(c100 - c12, 0), 63)) - c17, 0), length(c18)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c103, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c104 + j - 1), least(greatest(c100 - c12, 0), 63)), arrayEnumerate(c103))))), greatest(c17 - bitShiftRight(toInt64(c104), least(greatest(c100 - c12, 0), 63)), 0) + 1)), toUInt64(length(c18)), 0.))) < arraySum(arrayMap(n -> toFloat64(n), c103)))))), ifNull(toFloat64(c105), 0.), 0.) AS c111,
      c7,
      if(((c56 = 'delta') OR multiIf((ifNull(c6 < c105, false) OR ifNull(c13 < c98, false) OR ifNull(c14 < c106, false)), true, NOT (c99 = c10 AND length(c97) = length(c11)), true, arrayExists(n -> n < 0, arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c11), toFloat64(c13)), arrayPushBack(arrayMap(n -> toFloat64(n), c97), toFloat64(c98)))), true, NOT (c100 >= c12), true, ((arrayExists(n -> n < 0, arrayMap((c, b) -> toFloat64(c) - b, c16, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c102), least(greatest(c100 - c12, 0), 63)) - c15, 0), length(c16)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c101, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c102 + j - 1), least(greatest(c100 - c12, 0), 63)), arrayEnumerate(c101))))), greatest(c15 - bitShiftRight(toInt64(c102), least(greatest(c100 - c12, 0), 63)), 0) + 1)), toUInt64(length(c16)), 0.))) OR arraySum(arrayMap(n -> toFloat64(n), c16)) - arraySum(arrayMap((c, b) -> toFloat64(c) - b, c16, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c102), least(greatest(c100 - c12, 0), 63)) - c15, 0), length(c16)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c101, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c102 + j - 1), least(greatest(c100 - c12, 0), 63)), arrayEnumerate(c101))))), greatest(c15 - bitShiftRight(toInt64(c102), least(greatest(c100 - c12, 0), 63)), 0) + 1)), toUInt64(length(c16)), 0.))) < arraySum(arrayMap(n -> toFloat64(n), c101))) OR (arrayExists(n -> n < 0, arrayMap((c, b) -> toFloat64(c) - b, c18, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c104), least(greatest(c100 - c12, 0), 63)) - c17, 0), length(c18)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c103, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c104 + j - 1), least(greatest(c100 - c12, 0), 63)), arrayEnumerate(c103))))), greatest(c17 - bitShiftRight(toInt64(c104), least(greatest(c100 - c12, 0), 63)), 0) + 1)), toUInt64(length(c18)), 0.))) OR arraySum(arrayMap(n -> toFloat64(n), c18)) - arraySum(arrayMap((c, b) -> toFloat64(c) - b, c18, arrayResize(arrayConcat(arrayWithConstant(least(greatest(bitShiftRight(toInt64(c104), least(greatest(c100 - c12, 0), 63)) - c17, 0), length(c18)), 0.), arraySlice(arrayMap(c -> toFloat64(arraySum(c)), arraySplit((n, d) -> d != 0, c103, arrayDifference(arrayMap(j -> bitShiftRight(toInt64(c104 + j - 1), least(greatest(c100 - c12, 0), 63)), arrayEnumerate(c103))))), greatest(c17 - bitShiftRight(toInt64(c104), least(greatest(c100 - c12, 0), 63)), 0) + 1)), toUInt64(length(c18)), 0.))) < arraySum(arrayMap(n -> toFloat64(n), c103)))))), ifNull(toFloat64(c108), 0.), 0.) AS c112,
      c1
    FROM (
      SELECT c4,
        c2,
        c1,
        c6,
        c13,
        c14,
        c10,
        c11,
        c12,
        c16,
        c15,
        c18,
        c17,
        c7
      FROM (
        SELECT series AS c1,
          fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') AS c2,
          value AS c4,
          CAST(NULL, 'Nullable(UInt64)') AS c6,
          CAST(NULL, 'Nullable(Float64)') AS c7,
          CAST([], 'Array(Float64)') AS c10,
          CAST([], 'Array(UInt64)') AS c11,
          toInt8(0) AS c12,
          toUInt64(0) AS c13,
          0. AS c14,
          toInt32(0) AS c15,
          CAST([], 'Array(UInt64)') AS c16,
          toInt32(0) AS c17,
          CAST([], 'Array(UInt64)') AS c18
        FROM metric_points
        WHERE workspace = {p1:UInt32}
        AND project = {p2:UInt32}
        AND time >= fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
        AND (time != fromUnixTimestamp64Milli({p3:Int64}, 'UTC') OR nanos >= 1)
        AND (time != fromUnixTimestamp64Milli({p5:Int64}, 'UTC') OR nanos < 1)
        AND ((metric = {p6:String}) AND NOT no_recorded_value)
        AND (series IN (
          SELECT series AS c52
          FROM metric_series
          WHERE workspace = {p1:UInt32}
          AND project = {p2:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p8:Int64}, 'UTC'))
          AND (metric = {p6:String})
          AND (if(mapContains(attributes, {p9:String}), attributes[{p9:String}], resource[{p9:String}]) = {p10:String})
        ))
        ORDER BY series,
          time,
          nanos,
          value DESC,
          fromUnixTimestamp64Nano(toUnixTimestamp64Milli(start_time) * 1000000 + start_nanos, 'UTC') DESC
        LIMIT 1 BY series,
          time,
          nanos
        UNION ALL
        SELECT series AS c1,
          fromUnixTimestamp64Nano(toUnixTimestamp64Milli(time) * 1000000 + nanos, 'UTC') AS c2,
          CAST(NULL, 'Nullable(Float64)') AS c4,
          count AS c6,
          sum AS c7,
          bounds AS c10,
          bucket_counts AS c11,
          scale AS c12,
          zero_count AS c13,
          zero_threshold AS c14,
          positive_offset AS c15,
          positive_counts AS c16,
          negative_offset AS c17,
          negative_counts AS c18
        FROM metric_histograms
        WHERE workspace = {p1:UInt32}
        AND project = {p2:UInt32}
        AND time >= fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
        AND (time != fromUnixTimestamp64Milli({p3:Int64}, 'UTC') OR nanos >= 1)
        AND (time != fromUnixTimestamp64Milli({p5:Int64}, 'UTC') OR nanos < 1)
        AND ((metric = {p6:String}) AND NOT no_recorded_value)
        AND (series IN (
          SELECT series AS c52
          FROM metric_series
          WHERE workspace = {p1:UInt32}
          AND project = {p2:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p8:Int64}, 'UTC'))
          AND (metric = {p6:String})
          AND (if(mapContains(attributes, {p9:String}), attributes[{p9:String}], resource[{p9:String}]) = {p10:String})
        ))
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
    ) AS l
    INNER JOIN (
      SELECT any(temporality) AS c56,
        series AS c52
      FROM metric_series
      WHERE workspace = {p1:UInt32}
      AND project = {p2:UInt32}
      AND day >= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
      AND day <= toDate(fromUnixTimestamp64Nano({p8:Int64}, 'UTC'))
      AND (metric = {p6:String})
      AND (if(mapContains(attributes, {p9:String}), attributes[{p9:String}], resource[{p9:String}]) = {p10:String})
      GROUP BY c52
    ) AS r ON c1 = c52
  )
  ARRAY JOIN arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), arrayFilter(k -> (toInt64(k) * 1800000000000 >= 1795096800000000000 AND toInt64(k) * 1800000000000 < 1795100400000000000 AND c109 <= least(toInt64(k) * 1800000000000 + 1800000000000, 1795100400000000000) AND c109 > least(toInt64(k) * 1800000000000 + 1800000000000, 1795100400000000000) - 300000000000), range(toUInt64(intDiv(c109 - 1, 1800000000000)), toUInt64(intDiv(c109 - 1 + 300000000000, 1800000000000) + 1)))) AS c115,
    arrayMap(k -> least(toInt64(k) * 1800000000000 + 1800000000000, 1795100400000000000), arrayFilter(k -> (toInt64(k) * 1800000000000 >= 1795096800000000000 AND toInt64(k) * 1800000000000 < 1795100400000000000 AND c109 <= least(toInt64(k) * 1800000000000 + 1800000000000, 1795100400000000000) AND c109 > least(toInt64(k) * 1800000000000 + 1800000000000, 1795100400000000000) - 300000000000), range(toUInt64(intDiv(c109 - 1, 1800000000000)), toUInt64(intDiv(c109 - 1 + 300000000000, 1800000000000) + 1)))) AS c116
  GROUP BY c117,
    c118,
    c119
  HAVING (c141 > 1)
)
GROUP BY c168
ORDER BY c168
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795098300000"
-- p4 = "1795100400001"
-- p5 = "1795100400000"
-- p6 = "requests"
-- p7 = "1795098300000000001"
-- p8 = "1795100400000000001"
-- p9 = "route"
-- p10 = "/a"
