-- logs | where severity >= error | extend gap = difference(time), near = count() over 15m | sort time | fields gap, near
WITH count() OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c1, 9, 'UTC')), 1000000) RANGE BETWEEN 899999 PRECEDING AND CURRENT ROW) AS c16,
  c16 AS c17
SELECT c15 AS r1,
  c17 AS r2
FROM (
  WITH lagInFrame(toNullable(toUnixTimestamp64Nano(toDateTime64(time, 9, 'UTC'))), 1) OVER ( ORDER BY toUnixTimestamp64Nano(toDateTime64(time, 9, 'UTC')) ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS c14
  SELECT arrayMap(w -> if(isNull(w), NULL, accurateCast(assumeNotNull(w), 'Int64')), [(toInt128(toUnixTimestamp64Nano(toDateTime64(time, 9, 'UTC'))) - toInt128(c14))])[1] AS c15,
    time AS c1
  FROM logs
  WHERE workspace = {p1:UInt32}
  AND project = {p2:UInt32}
  AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
  AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
  AND (severity >= 17)
)
ORDER BY c1
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
