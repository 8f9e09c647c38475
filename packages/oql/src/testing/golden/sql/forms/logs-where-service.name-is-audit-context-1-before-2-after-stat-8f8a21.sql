-- logs | where service.name == "audit" | context 1 before 2 after | stats n=count(), m=count(`match`)
WITH count() AS c40,
  countIf((((time >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')) AND (time < fromUnixTimestamp64Nano({p2:Int64}, 'UTC')) AND (service = {p3:String})))) AS c41
SELECT c40 AS r1,
  c41 AS r2
FROM logs
WHERE workspace = {p4:UInt32}
AND project = {p5:UInt32}
AND time >= fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
AND time < fromUnixTimestamp64Nano({p7:Int64}, 'UTC')
AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
AND ((cityHash64(project, environment, service, resource_text), time, observed_time, shape) IN (
  SELECT c23,
    c24,
    c25,
    c26
  FROM (
    WITH (((time >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')) AND (time < fromUnixTimestamp64Nano({p2:Int64}, 'UTC')) AND (service = {p3:String}))) AS c22
    SELECT cityHash64(project, environment, service, resource_text) AS c23,
      time AS c24,
      observed_time AS c25,
      shape AS c26,
      max(c22) OVER (PARTITION BY c23 ORDER BY c24, c25, c26 ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING) AS c27,
      countIf(c22) OVER () AS c28
    FROM logs
    WHERE workspace = {p4:UInt32}
    AND project = {p5:UInt32}
    AND time >= fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
    AND time < fromUnixTimestamp64Nano({p7:Int64}, 'UTC')
    AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
    AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
    AND (cityHash64(project, environment, service, resource_text) IN (
      SELECT cityHash64(project, environment, service, resource_text) AS c21
      FROM logs
      WHERE workspace = {p4:UInt32}
      AND project = {p5:UInt32}
      AND time >= fromUnixTimestamp64Nano({p6:Int64}, 'UTC')
      AND time < fromUnixTimestamp64Nano({p7:Int64}, 'UTC')
      AND toStartOfFiveMinutes(time) >= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
      AND toStartOfFiveMinutes(time) <= toStartOfFiveMinutes(fromUnixTimestamp64Nano({p7:Int64}, 'UTC'))
      AND ((time >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')) AND (time < fromUnixTimestamp64Nano({p2:Int64}, 'UTC')) AND (service = {p3:String}))
    ))
  )
  WHERE (c27 AND throwIf(c28 > 10000, 'context: more than 10000 records match') = 0)
))
LIMIT 1001
-- p1 = "1795096800000000000"
-- p2 = "1795100400000000000"
-- p3 = "audit"
-- p4 = 7
-- p5 = 1
-- p6 = "1795096500000000000"
-- p7 = "1795100700000000000"
