-- spans | where service.name == "frontend" | stats d=max(duration) by bucket(10m) | extend m = avg(d) over 3 buckets, h = max(d) over 20m, `before` = lag(d), two = lag(d, 2), more = difference(d), so_far = running_sum(d)
WITH sum(toInt128(ifNull(c19, 0))) OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c18, 9, 'UTC')), 600000000000) ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS c30,
  accurateCast(c30, 'Int64') AS c31
SELECT c18 AS r1,
  c19 AS r2,
  c21 AS r3,
  c23 AS r4,
  c25 AS r5,
  c27 AS r6,
  c29 AS r7,
  c31 AS r8
FROM (
  WITH anyOrNull(c19) OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c18, 9, 'UTC')), 600000000000) RANGE BETWEEN 1 PRECEDING AND 1 PRECEDING) AS c28
  SELECT c18,
    c19,
    c21,
    c23,
    c25,
    c27,
    arrayMap(w -> if(isNull(w), NULL, accurateCast(assumeNotNull(w), 'Int64')), [(toInt128(c19) - toInt128(c28))])[1] AS c29
  FROM (
    WITH anyOrNull(c19) OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c18, 9, 'UTC')), 600000000000) RANGE BETWEEN 2 PRECEDING AND 2 PRECEDING) AS c26
    SELECT c18,
      c19,
      c21,
      c23,
      c25,
      c26 AS c27
    FROM (
      WITH anyOrNull(c19) OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c18, 9, 'UTC')), 600000000000) RANGE BETWEEN 1 PRECEDING AND 1 PRECEDING) AS c24
      SELECT c18,
        c19,
        c21,
        c23,
        c24 AS c25
      FROM (
        WITH maxOrNull(c19) OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c18, 9, 'UTC')), 600000000000) RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) AS c22
        SELECT c18,
          c19,
          c21,
          c22 AS c23
        FROM (
          WITH avgOrNull(toInt128(c19)) OVER ( ORDER BY intDiv(toUnixTimestamp64Nano(toDateTime64(c18, 9, 'UTC')), 600000000000) RANGE BETWEEN 2 PRECEDING AND CURRENT ROW) AS c20
          SELECT c18,
            c19,
            toInt64(round(c20)) AS c21
          FROM (
            SELECT toStartOfInterval(time, toIntervalSecond(600)) AS c18,
              maxOrNull(duration) AS c19
            FROM spans
            WHERE workspace = {p1:UInt32}
            AND project = {p2:UInt32}
            AND time >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
            AND time < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
            AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p3:Int64}, 'UTC'))
            AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
            AND (service = {p5:String})
            GROUP BY c18
          )
        )
      )
    )
  )
)
ORDER BY c18
LIMIT 1001
-- p1 = 7
-- p2 = 1
-- p3 = "1795096800000000000"
-- p4 = "1795100400000000000"
-- p5 = "frontend"
