-- logs | stats n=count() by service.name | sort -n | extend percent = 100 * share(n), so_far = running_sum(n) / sum(n) over all | fields service.name, percent, so_far
WITH sum(toInt128(ifNull(c14, 0))) OVER ( ORDER BY c14 DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS c17,
  sum(toInt128(c14)) OVER () AS c18,
  (accurateCast(c17, 'Int64') / nullIf(accurateCast(c18, 'Int64'), 0)) AS c19
SELECT c13 AS r1,
  c16 AS r2,
  c19 AS r3
FROM (
  WITH sum(toFloat64(c14)) OVER () AS c15
  SELECT c13,
    ({p1:Int64} * (toFloat64(c14) / nullIf(c15, 0))) AS c16,
    c14
  FROM (
    SELECT service AS c13,
      count() AS c14
    FROM logs
    WHERE workspace = {p2:UInt32}
    AND project = {p3:UInt32}
    AND time >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p5:Int64}, 'UTC'))
    GROUP BY c13
    ORDER BY c14 DESC
  )
)
LIMIT 1001
-- p1 = "100"
-- p2 = 7
-- p3 = 1
-- p4 = "1795096800000000000"
-- p5 = "1795100400000000000"
