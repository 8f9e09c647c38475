-- logs | stats n=count() by service.name | sort -n | extend percent = 100 * share(n), so_far = running_sum(n) / sum(n) over all | fields service.name, percent, so_far
WITH sum(toInt128(ifNull(c15, 0))) OVER ( ORDER BY c15 DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS c18,
  sum(toInt128(c15)) OVER () AS c19,
  (accurateCast(c18, 'Int64') / nullIf(accurateCast(c19, 'Int64'), 0)) AS c20
SELECT c14 AS r1,
  c17 AS r2,
  c20 AS r3
FROM (
  WITH sum(toFloat64(c15)) OVER () AS c16
  SELECT c14,
    ({p1:Int64} * (toFloat64(c15) / nullIf(c16, 0))) AS c17,
    c15
  FROM (
    SELECT service AS c14,
      count() AS c15
    FROM logs
    WHERE workspace = {p2:UInt32}
    AND project = {p3:UInt32}
    AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
    GROUP BY c14
    ORDER BY c15 DESC
  )
)
LIMIT 1001
-- p1 = "100"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
