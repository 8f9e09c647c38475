-- logs | extend pause = difference(time), near = count() over 15m within service.name | stats longest=max(pause), most=max(near) by service.name | extend longest = longest / 1m
WITH c3 AS c18,
  maxOrNull(c15) AS c19,
  (c19 / {p1:Int64}) AS c21,
  maxOrNull(c17) AS c20
SELECT c18 AS r1,
  c21 AS r2,
  c20 AS r3
FROM (
  WITH count() OVER (PARTITION BY c3 ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c1, 9, 'UTC')), 1000000) RANGE BETWEEN 899999 PRECEDING AND CURRENT ROW) AS c16
  SELECT c3,
    c15,
    c16 AS c17
  FROM (
    WITH lagInFrame(toNullable(toUnixTimestamp64Nano(toDateTime64(time, 9, 'UTC'))), 1) OVER (PARTITION BY service ORDER BY toUnixTimestamp64Nano(toDateTime64(time, 9, 'UTC')) ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS c14
    SELECT service AS c3,
      arrayMap(w -> if(isNull(w), NULL, accurateCast(assumeNotNull(w), 'Int64')), [(toInt128(toUnixTimestamp64Nano(toDateTime64(time, 9, 'UTC'))) - toInt128(c14))])[1] AS c15,
      time AS c1
    FROM logs
    WHERE workspace = {p2:UInt32}
    AND project = {p3:UInt32}
    AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
  )
)
GROUP BY c18
ORDER BY c18
LIMIT 1001
-- p1 = "60000000000"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
