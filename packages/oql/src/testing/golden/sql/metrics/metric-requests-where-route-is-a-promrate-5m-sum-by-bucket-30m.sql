-- metric requests | where route == "/a" | promrate 5m | sum by bucket(30m)
WITH toStartOfInterval(c112, toIntervalSecond(1800)) AS c162,
  ifNull(arrayMap((k, s) -> if(isFinite(k), k, s), [sumKahanOrNull(coalesce(c158, c160))], [sumOrNull(coalesce(c158, c160))])[1], 0.) AS c163
SELECT c162 AS r1,
  c163 AS r2
FROM (
  WITH argMax(toFloat64(c4), c103) AS c139,
    argMin(toFloat64(c4), c103) AS c138,
    sum(c104) AS c140,
    argMin(c104, c103) AS c141,
    ((c139 - c138) + (c140 - c141)) AS c154,
    max(c103) AS c137,
    min(c103) AS c136,
    ((c137 - c136) / 1e9) AS c153,
    c110 AS c113,
    count() AS c135,
    argMax(toFloat64(c5), c103) AS c143,
    argMin(toFloat64(c5), c103) AS c142,
    sum(c105) AS c144,
    argMin(c105, c103) AS c145,
    ((c143 - c142) + (c144 - c145)) AS c155,
    (if(c153 = 0, 1., (c153 + least(if(((c136 - (c113 - 300000000000)) / 1e9) >= (c153 / (c135 - 1)) * 1.1, (c153 / (c135 - 1)) / 2, ((c136 - (c113 - 300000000000)) / 1e9)), if(coalesce(c154, c155) > 0 AND coalesce(c138, c142) >= 0, c153 * (coalesce(c138, c142) / coalesce(c154, c155)), if(((c136 - (c113 - 300000000000)) / 1e9) >= (c153 / (c135 - 1)) * 1.1, (c153 / (c135 - 1)) / 2, ((c136 - (c113 - 300000000000)) / 1e9)))) + if(((c113 - c137) / 1e9) >= (c153 / (c135 - 1)) * 1.1, (c153 / (c135 - 1)) / 2, ((c113 - c137) / 1e9))) / c153) / 300) AS c157,
    argMax(toFloat64(c6), c103) AS c147,
    argMin(toFloat64(c6), c103) AS c146,
    sum(c106) AS c148,
    argMin(c106, c103) AS c149,
    ((c147 - c146) + (c148 - c149)) AS c156,
    c1 AS c111
  SELECT c109 AS c112,
    (c154 * c157) AS c158,
    (c156 * c157) AS c160
  FROM (
    WITH lagInFrame(c4) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c101,
      lagInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c99,
      lagInFrame(c12) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c92,
      lagInFrame(c13) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c100,
      lagInFrame(c9) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c93,
      lagInFrame(c10) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c91,
      lagInFrame(c11) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c94,
      lagInFrame(c15) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c95,
      lagInFrame(c14) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c96,
      lagInFrame(c17) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c97,
      lagInFrame(c16) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c98,
      lagInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c102
    SELECT c4,
      toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')) AS c103,
      if(((c50 = 'delta') OR ifNull(c4 < c101, false)), ifNull(toFloat64(c101), 0.), 0.) AS c104,
      c5,
      if(((c50 = 'delta') OR multiIf((ifNull(c5 < c99, false) OR ifNull(c12 < c92, false) OR ifNull(c13 < c100, false)), true, NOT (c93 = c9 AND length(c91) = length(c10)), true, arrayExists(n -> n < 0, arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c10), toFloat64(c12)), arrayPushBack(arrayMap(n -> toFloat64(n), c91), toFloat64(c92)))), true, NOT (c94 >= c11), true, ((arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c95), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c96 + j - 1), c94 - c11) = c14 + i - 1, toFloat64(n), 0.), c95, arrayEnumerate(c95))), c15, arrayEnumerate(c15))) OR arraySum(arrayMap(n -> toFloat64(n), c15)) - arraySum(arrayMap((c, i) -> if(empty(c95), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c96 + j - 1), c94 - c11) = c14 + i - 1, toFloat64(n), 0.), c95, arrayEnumerate(c95))), c15, arrayEnumerate(c15))) < arraySum(arrayMap(n -> toFloat64(n), c95))) OR (arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c97), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c98 + j - 1), c94 - c11) = c16 + i - 1, toFloat64(n), 0.), c97, arrayEnumerate(c97))), c17, arrayEnumerate(c17))) OR arraySum(arrayMap(n -> toFloat64(n), c17)) - arraySum(arrayMap((c, i) -> if(empty(c97), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c98 + j - 1), c94 - c11) = c16 + i - 1, toFloat64(n), 0.), c97, arrayEnumerate(c97))), c17, arrayEnumerate(c17))) < arraySum(arrayMap(n -> toFloat64(n), c97)))))), ifNull(toFloat64(c99), 0.), 0.) AS c105,
      c6,
      if(((c50 = 'delta') OR multiIf((ifNull(c5 < c99, false) OR ifNull(c12 < c92, false) OR ifNull(c13 < c100, false)), true, NOT (c93 = c9 AND length(c91) = length(c10)), true, arrayExists(n -> n < 0, arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c10), toFloat64(c12)), arrayPushBack(arrayMap(n -> toFloat64(n), c91), toFloat64(c92)))), true, NOT (c94 >= c11), true, ((arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c95), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c96 + j - 1), c94 - c11) = c14 + i - 1, toFloat64(n), 0.), c95, arrayEnumerate(c95))), c15, arrayEnumerate(c15))) OR arraySum(arrayMap(n -> toFloat64(n), c15)) - arraySum(arrayMap((c, i) -> if(empty(c95), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c96 + j - 1), c94 - c11) = c14 + i - 1, toFloat64(n), 0.), c95, arrayEnumerate(c95))), c15, arrayEnumerate(c15))) < arraySum(arrayMap(n -> toFloat64(n), c95))) OR (arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c97), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c98 + j - 1), c94 - c11) = c16 + i - 1, toFloat64(n), 0.), c97, arrayEnumerate(c97))), c17, arrayEnumerate(c17))) OR arraySum(arrayMap(n -> toFloat64(n), c17)) - arraySum(arrayMap((c, i) -> if(empty(c97), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c98 + j - 1), c94 - c11) = c16 + i - 1, toFloat64(n), 0.), c97, arrayEnumerate(c97))), c17, arrayEnumerate(c17))) < arraySum(arrayMap(n -> toFloat64(n), c97)))))), ifNull(toFloat64(c102), 0.), 0.) AS c106,
      c1
    FROM (
      SELECT c4,
        c2,
        c1,
        c5,
        c12,
        c13,
        c9,
        c10,
        c11,
        c15,
        c14,
        c17,
        c16,
        c6
      FROM (
        SELECT series AS c1,
          time AS c2,
          value AS c4,
          CAST(NULL, 'Nullable(UInt64)') AS c5,
          CAST(NULL, 'Nullable(Float64)') AS c6,
          CAST([], 'Array(Float64)') AS c9,
          CAST([], 'Array(UInt64)') AS c10,
          toInt8(0) AS c11,
          toUInt64(0) AS c12,
          0. AS c13,
          toInt32(0) AS c14,
          CAST([], 'Array(UInt64)') AS c15,
          toInt32(0) AS c16,
          CAST([], 'Array(UInt64)') AS c17
        FROM metric_points
        WHERE workspace = {p1:UInt32}
        AND project = {p2:UInt32}
        AND time >= fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
        AND ((metric = {p5:String}) AND NOT no_recorded_value)
        AND (series IN (
          SELECT series AS c46
          FROM metric_series
          WHERE workspace = {p1:UInt32}
          AND project = {p2:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
          AND (metric = {p5:String})
          AND (if(mapContains(attributes, {p8:String}), attributes[{p8:String}], resource[{p8:String}]) = {p9:String})
        ))
        ORDER BY series,
          time,
          value DESC,
          start_time DESC
        LIMIT 1 BY series,
          time
        UNION ALL
        SELECT series AS c1,
          time AS c2,
          CAST(NULL, 'Nullable(Float64)') AS c4,
          count AS c5,
          sum AS c6,
          bounds AS c9,
          bucket_counts AS c10,
          scale AS c11,
          zero_count AS c12,
          zero_threshold AS c13,
          positive_offset AS c14,
          positive_counts AS c15,
          negative_offset AS c16,
          negative_counts AS c17
        FROM metric_histograms
        WHERE workspace = {p1:UInt32}
        AND project = {p2:UInt32}
        AND time >= fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Milli({p4:Int64}, 'UTC')
        AND ((metric = {p5:String}) AND NOT no_recorded_value)
        AND (series IN (
          SELECT series AS c46
          FROM metric_series
          WHERE workspace = {p1:UInt32}
          AND project = {p2:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
          AND (metric = {p5:String})
          AND (if(mapContains(attributes, {p8:String}), attributes[{p8:String}], resource[{p8:String}]) = {p9:String})
        ))
        ORDER BY series,
          time,
          count DESC,
          sum DESC,
          start_time DESC
        LIMIT 1 BY series,
          time
      )
    ) AS l
    INNER JOIN (
      SELECT any(temporality) AS c50,
        series AS c46
      FROM metric_series
      WHERE workspace = {p1:UInt32}
      AND project = {p2:UInt32}
      AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
      AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
      AND (metric = {p5:String})
      AND (if(mapContains(attributes, {p8:String}), attributes[{p8:String}], resource[{p8:String}]) = {p9:String})
      GROUP BY c46
    ) AS r ON c1 = c46
  )
  ARRAY JOIN arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), arrayFilter(k -> (toInt64(k) * 1800000000000 >= 1795096800000000000 AND toInt64(k) * 1800000000000 < 1795100400000000000 AND c103 <= least(toInt64(k) * 1800000000000 + 1800000000000, 1795100400000000000) AND c103 > least(toInt64(k) * 1800000000000 + 1800000000000, 1795100400000000000) - 300000000000), range(toUInt64(intDiv(c103 - 1, 1800000000000)), toUInt64(intDiv(c103 - 1 + 300000000000, 1800000000000) + 1)))) AS c109,
    arrayMap(k -> least(toInt64(k) * 1800000000000 + 1800000000000, 1795100400000000000), arrayFilter(k -> (toInt64(k) * 1800000000000 >= 1795096800000000000 AND toInt64(k) * 1800000000000 < 1795100400000000000 AND c103 <= least(toInt64(k) * 1800000000000 + 1800000000000, 1795100400000000000) AND c103 > least(toInt64(k) * 1800000000000 + 1800000000000, 1795100400000000000) - 300000000000), range(toUInt64(intDiv(c103 - 1, 1800000000000)), toUInt64(intDiv(c103 - 1 + 300000000000, 1800000000000) + 1)))) AS c110
  GROUP BY c111,
    c112,
    c113
  HAVING (c135 > 1)
)
GROUP BY c162
ORDER BY c162
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795098300001"
-- p4 = "1795100400001"
-- p5 = "requests"
-- p6 = "1795098300000000001"
-- p7 = "1795100400000000001"
-- p8 = "route"
-- p9 = "/a"
