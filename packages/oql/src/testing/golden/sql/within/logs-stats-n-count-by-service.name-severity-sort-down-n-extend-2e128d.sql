-- logs | stats n=count() by service.name, severity | sort -n | extend `before` = lag(n), more = difference(n), so_far = running_sum(n), place = rank() within service.name | sort service.name, -n
WITH rank() OVER (PARTITION BY c14 ORDER BY c16 DESC) AS c23,
  c23 AS c24
SELECT c14 AS r1,
  multiIf(c15 = 0, 'unspecified', c15 < 5, 'trace', c15 < 9, 'debug', c15 < 13, 'info', c15 < 17, 'warn', c15 < 21, 'error', 'fatal') AS r2,
  c16 AS r3,
  c18 AS r4,
  c20 AS r5,
  c22 AS r6,
  c24 AS r7
FROM (
  WITH sum(toInt128(ifNull(c16, 0))) OVER (PARTITION BY c14 ORDER BY c16 DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS c21
  SELECT c14,
    c15,
    c16,
    c18,
    c20,
    accurateCast(c21, 'Int64') AS c22
  FROM (
    WITH lagInFrame(toNullable(c16), 1) OVER (PARTITION BY c14 ORDER BY c16 DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS c19
    SELECT c14,
      c15,
      c16,
      c18,
      arrayMap(w -> if(isNull(w), NULL, accurateCast(assumeNotNull(w), 'Int64')), [(toInt128(c16) - toInt128(c19))])[1] AS c20
    FROM (
      WITH lagInFrame(toNullable(c16), 1) OVER (PARTITION BY c14 ORDER BY c16 DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS c17
      SELECT c14,
        c15,
        c16,
        c17 AS c18
      FROM (
        SELECT service AS c14,
          if(severity = 0, 0, intDiv(severity - 1, 4) * 4 + 1) AS c15,
          count() AS c16
        FROM logs
        WHERE workspace = {p1:UInt32}
        AND project = {p2:UInt32}
        AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
        AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
        AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
        GROUP BY c14,
          c15
        ORDER BY c16 DESC
      )
    )
  )
)
ORDER BY c14,
  c16 DESC
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
