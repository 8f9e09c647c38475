-- logs | where severity >= error | stats n=count() by bucket(5m) | extend l = lag(n), d = difference(n), s = sum(n) over 2 buckets, r = sum(n) over 2 rows
WITH sum(toInt128(c15)) OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c14, 9, 'UTC')), 300000000000) ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c22,
  accurateCast(c22, 'Int64') AS c23
SELECT c14 AS r1,
  c15 AS r2,
  c17 AS r3,
  c19 AS r4,
  c21 AS r5,
  c23 AS r6
FROM (
  WITH sum(toInt128(c15)) OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c14, 9, 'UTC')), 300000000000) RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS c20
  SELECT c14,
    c15,
    c17,
    c19,
    accurateCast(c20, 'Int64') AS c21
  FROM (
    WITH anyOrNull(c15) OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c14, 9, 'UTC')), 300000000000) RANGE BETWEEN 1 PRECEDING AND 1 PRECEDING) AS c18
    SELECT c14,
      c15,
      c17,
      arrayMap(w -> if(isNull(w), NULL, accurateCast(assumeNotNull(w), 'Int64')), [(toInt128(c15) - toInt128(c18))])[1] AS c19
    FROM (
      WITH anyOrNull(c15) OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c14, 9, 'UTC')), 300000000000) RANGE BETWEEN 1 PRECEDING AND 1 PRECEDING) AS c16
      SELECT c14,
        c15,
        c16 AS c17
      FROM (
        SELECT toStartOfInterval(time, toIntervalSecond(300)) AS c14,
          count() AS c15
        FROM logs
        WHERE workspace = {p1:UInt32}
        AND project = {p2:UInt32}
        AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
        AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
        AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
        AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
        AND (severity >= 17)
        GROUP BY c14
      )
    )
  )
)
ORDER BY c14
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
