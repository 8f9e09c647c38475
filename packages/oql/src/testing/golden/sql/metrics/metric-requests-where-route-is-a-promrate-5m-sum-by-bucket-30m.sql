-- metric requests | where route == "/a" | promrate 5m | sum by bucket(30m)
WITH toStartOfInterval(c87, toIntervalSecond(1800)) AS c126,
  ifNull(sum(coalesce(c122, c124)), 0.) AS c127
SELECT c126 AS r1,
  c127 AS r2
FROM (
  WITH argMax(toFloat64(c4), c78) AS c103,
    argMin(toFloat64(c4), c78) AS c102,
    sum(c79) AS c104,
    argMin(c79, c78) AS c105,
    ((c103 - c102) + (c104 - c105)) AS c118,
    max(c78) AS c101,
    min(c78) AS c100,
    ((c101 - c100) / 1e9) AS c117,
    c85 AS c88,
    count() AS c99,
    argMax(toFloat64(c5), c78) AS c107,
    argMin(toFloat64(c5), c78) AS c106,
    sum(c80) AS c108,
    argMin(c80, c78) AS c109,
    ((c107 - c106) + (c108 - c109)) AS c119,
    (if(c117 = 0, 1., (c117 + least(if(((c100 - (c88 - 300000000000)) / 1e9) >= (c117 / (c99 - 1)) * 1.1, (c117 / (c99 - 1)) / 2, ((c100 - (c88 - 300000000000)) / 1e9)), if(coalesce(c118, c119) > 0 AND coalesce(c102, c106) >= 0, c117 * (coalesce(c102, c106) / coalesce(c118, c119)), if(((c100 - (c88 - 300000000000)) / 1e9) >= (c117 / (c99 - 1)) * 1.1, (c117 / (c99 - 1)) / 2, ((c100 - (c88 - 300000000000)) / 1e9)))) + if(((c88 - c101) / 1e9) >= (c117 / (c99 - 1)) * 1.1, (c117 / (c99 - 1)) / 2, ((c88 - c101) / 1e9))) / c117) / 300) AS c121,
    argMax(toFloat64(c6), c78) AS c111,
    argMin(toFloat64(c6), c78) AS c110,
    sum(c81) AS c112,
    argMin(c81, c78) AS c113,
    ((c111 - c110) + (c112 - c113)) AS c120,
    c1 AS c86
  SELECT c84 AS c87,
    (c118 * c121) AS c122,
    (c120 * c121) AS c124
  FROM (
    WITH lagInFrame(c4) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c76,
      lagInFrame(c5) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c74,
      lagInFrame(c12) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c67,
      lagInFrame(c13) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c75,
      lagInFrame(c9) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c68,
      lagInFrame(c10) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c66,
      lagInFrame(c11) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c69,
      lagInFrame(c15) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c70,
      lagInFrame(c14) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c71,
      lagInFrame(c17) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c72,
      lagInFrame(c16) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c73,
      lagInFrame(c6) OVER (PARTITION BY c1 ORDER BY c2 ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS c77
    SELECT c4,
      toUnixTimestamp64Nano(toDateTime64(c2, 9, 'UTC')) AS c78,
      if(((c44 = 'delta') OR ifNull(c4 < c76, false)), ifNull(toFloat64(c76), 0.), 0.) AS c79,
      c5,
      if(((c44 = 'delta') OR multiIf((ifNull(c5 < c74, false) OR ifNull(c12 < c67, false) OR ifNull(c13 < c75, false)), true, NOT (c68 = c9 AND length(c66) = length(c10)), true, arrayExists(n -> n < 0, arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c10), toFloat64(c12)), arrayPushBack(arrayMap(n -> toFloat64(n), c66), toFloat64(c67)))), true, NOT (c69 >= c11), true, ((arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c70), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c71 + j - 1), c69 - c11) = c14 + i - 1, toFloat64(n), 0.), c70, arrayEnumerate(c70))), c15, arrayEnumerate(c15))) OR arraySum(arrayMap(n -> toFloat64(n), c15)) - arraySum(arrayMap((c, i) -> if(empty(c70), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c71 + j - 1), c69 - c11) = c14 + i - 1, toFloat64(n), 0.), c70, arrayEnumerate(c70))), c15, arrayEnumerate(c15))) < arraySum(arrayMap(n -> toFloat64(n), c70))) OR (arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c72), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c73 + j - 1), c69 - c11) = c16 + i - 1, toFloat64(n), 0.), c72, arrayEnumerate(c72))), c17, arrayEnumerate(c17))) OR arraySum(arrayMap(n -> toFloat64(n), c17)) - arraySum(arrayMap((c, i) -> if(empty(c72), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c73 + j - 1), c69 - c11) = c16 + i - 1, toFloat64(n), 0.), c72, arrayEnumerate(c72))), c17, arrayEnumerate(c17))) < arraySum(arrayMap(n -> toFloat64(n), c72)))))), ifNull(toFloat64(c74), 0.), 0.) AS c80,
      c6,
      if(((c44 = 'delta') OR multiIf((ifNull(c5 < c74, false) OR ifNull(c12 < c67, false) OR ifNull(c13 < c75, false)), true, NOT (c68 = c9 AND length(c66) = length(c10)), true, arrayExists(n -> n < 0, arrayMap((a, b) -> a - b, arrayPushBack(arrayMap(n -> toFloat64(n), c10), toFloat64(c12)), arrayPushBack(arrayMap(n -> toFloat64(n), c66), toFloat64(c67)))), true, NOT (c69 >= c11), true, ((arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c70), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c71 + j - 1), c69 - c11) = c14 + i - 1, toFloat64(n), 0.), c70, arrayEnumerate(c70))), c15, arrayEnumerate(c15))) OR arraySum(arrayMap(n -> toFloat64(n), c15)) - arraySum(arrayMap((c, i) -> if(empty(c70), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c71 + j - 1), c69 - c11) = c14 + i - 1, toFloat64(n), 0.), c70, arrayEnumerate(c70))), c15, arrayEnumerate(c15))) < arraySum(arrayMap(n -> toFloat64(n), c70))) OR (arrayExists(n -> n < 0, arrayMap((c, i) -> if(empty(c72), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c73 + j - 1), c69 - c11) = c16 + i - 1, toFloat64(n), 0.), c72, arrayEnumerate(c72))), c17, arrayEnumerate(c17))) OR arraySum(arrayMap(n -> toFloat64(n), c17)) - arraySum(arrayMap((c, i) -> if(empty(c72), toFloat64(c), toFloat64(c) - arraySum((n, j) -> if(bitShiftRight(toInt32(c73 + j - 1), c69 - c11) = c16 + i - 1, toFloat64(n), 0.), c72, arrayEnumerate(c72))), c17, arrayEnumerate(c17))) < arraySum(arrayMap(n -> toFloat64(n), c72)))))), ifNull(toFloat64(c77), 0.), 0.) AS c81,
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
        AND (metric = {p5:String} AND NOT no_recorded_value)
        AND (series IN (
          WITH any(attributes) AS c52,
            any(resource) AS c51
          SELECT series AS c42
          FROM metric_series
          WHERE workspace = {p1:UInt32}
          AND project = {p2:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
          AND (metric = {p5:String})
          GROUP BY c42
          HAVING (if(mapContains(c52, {p8:String}), c52[{p8:String}], c51[{p8:String}]) = {p9:String})
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
        AND (metric = {p5:String} AND NOT no_recorded_value)
        AND (series IN (
          WITH any(attributes) AS c52,
            any(resource) AS c51
          SELECT series AS c42
          FROM metric_series
          WHERE workspace = {p1:UInt32}
          AND project = {p2:UInt32}
          AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
          AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
          AND (metric = {p5:String})
          GROUP BY c42
          HAVING (if(mapContains(c52, {p8:String}), c52[{p8:String}], c51[{p8:String}]) = {p9:String})
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
      WITH any(attributes) AS c52,
        any(resource) AS c51
      SELECT any(temporality) AS c44,
        series AS c42
      FROM metric_series
      WHERE workspace = {p1:UInt32}
      AND project = {p2:UInt32}
      AND day >= toDate(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
      AND day <= toDate(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
      AND (metric = {p5:String})
      GROUP BY c42
      HAVING (if(mapContains(c52, {p8:String}), c52[{p8:String}], c51[{p8:String}]) = {p9:String})
    ) AS r ON c1 = c42
  )
  ARRAY JOIN arrayMap(k -> fromUnixTimestamp64Nano(toInt64(k) * 1800000000000, 'UTC'), arrayFilter(k -> (toInt64(k) * 1800000000000 >= 1795096800000000000 AND toInt64(k) * 1800000000000 < 1795100400000000000 AND c78 <= least(toInt64(k) * 1800000000000 + 1800000000000, 1795100400000000000) AND c78 > least(toInt64(k) * 1800000000000 + 1800000000000, 1795100400000000000) - 300000000000), range(toUInt64(intDiv(c78 - 1, 1800000000000)), toUInt64(intDiv(c78 - 1 + 300000000000, 1800000000000) + 1)))) AS c84,
    arrayMap(k -> least(toInt64(k) * 1800000000000 + 1800000000000, 1795100400000000000), arrayFilter(k -> (toInt64(k) * 1800000000000 >= 1795096800000000000 AND toInt64(k) * 1800000000000 < 1795100400000000000 AND c78 <= least(toInt64(k) * 1800000000000 + 1800000000000, 1795100400000000000) AND c78 > least(toInt64(k) * 1800000000000 + 1800000000000, 1795100400000000000) - 300000000000), range(toUInt64(intDiv(c78 - 1, 1800000000000)), toUInt64(intDiv(c78 - 1 + 300000000000, 1800000000000) + 1)))) AS c85
  GROUP BY c86,
    c87,
    c88
  HAVING (c99 > 1)
)
GROUP BY c126
ORDER BY c126
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
