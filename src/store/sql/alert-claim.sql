-- ALERT-CLAIM: takes due alerts for sending, pending bank confirmations first. Leases their destinations by
-- the database's clock, so that the alerts of a destination are sent one at a time.
-- $1: how many of each channel may be taken. $2: how many in all. $3: the lease in milliseconds. $4: now.
with waiting as (
  select distinct on (o.destination_id) o.id, o.destination_id, o.channel, o.priority, o.due_at_ms, o.attempts
  from alert_outbox o
  where o.result = 'waiting' and o.due_at_ms <= $4::bigint
  order by o.destination_id, o.priority, o.id
), free as (
  select w.*, row_number() over (partition by w.channel order by w.priority, w.due_at_ms) as place
  from waiting w join alert_destinations d on d.id = w.destination_id
  where d.lease_until_ms <= extract(epoch from clock_timestamp()) * 1000 and d.not_before_ms <= $4::bigint
), chosen as (
  select f.id, f.destination_id, f.attempts
  from free f
  join json_to_recordset($1::json) as r (channel text, room int) on r.channel = f.channel and f.place <= r.room
  join alert_destinations d on d.id = f.destination_id
  -- Checked again, since a row that another node had locked is re-evaluated after the wait.
  where d.lease_until_ms <= extract(epoch from clock_timestamp()) * 1000
  order by f.priority, f.due_at_ms
  limit $2::int
  for update of d skip locked
), taken as (
  -- Excludes alerts that another node sent between the snapshot and the lock.
  update alert_outbox o set attempts = o.attempts + 1, unknown_attempts = o.unknown_attempts + 1
  from chosen c
  where o.id = c.id and o.result = 'waiting' and o.attempts = c.attempts
  returning o.id, o.destination_id
), held as (
  update alert_destinations d
  set lease_until_ms = (extract(epoch from clock_timestamp()) * 1000)::bigint + $3::bigint
  from taken t where d.id = t.destination_id
)
select id::text from taken
