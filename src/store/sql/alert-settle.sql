-- ALERT-SETTLE: writes the outcomes of attempts and frees their destinations.
-- $1: the outcomes (alert-outbox.ts).
with settled as (
  select * from json_to_recordset($1::json) as s (id bigint, destination_id text, result text, reason text,
    due_at_ms bigint, is_outcome_known boolean, sent_at_ms bigint, not_before_ms bigint, is_destination_lost boolean)
), rows as (
  update alert_outbox o
  set result = s.result, reason = s.reason, due_at_ms = s.due_at_ms, sent_at_ms = s.sent_at_ms,
    unknown_attempts = o.unknown_attempts - s.is_outcome_known::int
  from settled s where o.id = s.id and o.result = 'waiting'
), others as (
  -- A lost destination gets no further alerts, except tests that its owner requests.
  update alert_outbox o set result = 'useless', reason = 'lost'
  from settled s
  where s.is_destination_lost and o.destination_id = s.destination_id and o.id <> s.id and o.result = 'waiting' and o.type <> 'test'
)
update alert_destinations d
set lease_until_ms = 0, not_before_ms = greatest(d.not_before_ms, s.not_before_ms),
  state = case when s.is_destination_lost then 'lost' when s.result = 'sent' then 'active' else d.state end
from settled s where d.id = s.destination_id
