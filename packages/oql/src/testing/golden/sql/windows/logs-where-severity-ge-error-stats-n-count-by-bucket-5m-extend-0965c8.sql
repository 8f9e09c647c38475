-- logs | where severity >= error | stats n=count() by bucket(5m) | extend l = lag(n), d = difference(n), s = sum(n) over 2 buckets, r = sum(n) over 2 rows
WITH sum(toInt128(c14)) OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c13, 9, 'UTC')), 300000000000) ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c21,
  accurateCast(c21, 'Int64') AS c22
SELECT c13 AS r1,
  c14 AS r2,
  c16 AS r3,
  c18 AS r4,
  c20 AS r5,
  c22 AS r6
FROM (
  WITH sum(toInt128(c14)) OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c13, 9, 'UTC')), 300000000000) RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS c19
  SELECT c13,
    c14,
    c16,
    c18,
    accurateCast(c19, 'Int64') AS c20
  FROM (
    WITH anyOrNull(c14) OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c13, 9, 'UTC')), 300000000000) RANGE BETWEEN 1 PRECEDING AND 1 PRECEDING) AS c17
    SELECT c13,
      c14,
      c16,
      accurateCast((toInt128(c14) - toInt128(c17)), 'Nullable(Int64)') AS c18
    FROM (
      WITH anyOrNull(c14) OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c13, 9, 'UTC')), 300000000000) RANGE BETWEEN 1 PRECEDING AND 1 PRECEDING) AS c15
      SELECT c13,
        c14,
        c15 AS c16
      FROM (
        SELECT toStartOfInterval(time, toIntervalSecond(300)) AS c13,
          count() AS c14
        FROM logs
        WHERE workspace = {p1:UInt32}
        AND project = {p2:UInt32}
        AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
        AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
        AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
        AND (severity >= 17)
        GROUP BY c13
      )
    )
  )
)
ORDER BY c13
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
