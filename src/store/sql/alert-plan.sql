-- ALERT-PLAN: writes a plan atomically.
-- $1: alerts; each becomes a row for every destination of the person that wants its type, or that it names.
-- $2: links of articles. $3: counters of people. $4: marks, which never move backwards.
with alerts as (
  insert into alert_outbox (user_id, destination_id, channel, destination_name, type, subject, message, is_loud, priority,
    planned_at_ms, due_at_ms, give_up_at_ms)
  select d.user_id, d.id, d.channel, d.name, p.type, p.subject, p.message::json, p.is_loud, p.priority,
    p.planned_at_ms, p.due_at_ms, p.give_up_at_ms
  from json_to_recordset($1::json) as p (user_id text, type text, subject text, message text, is_loud boolean,
    priority smallint, planned_at_ms bigint, due_at_ms bigint, give_up_at_ms bigint, destination_id text,
    except_destination_id text, has_purchases boolean)
  -- Suspended people get no alerts.
  join users u on u.id = p.user_id and not u.is_suspended
  join alert_destinations d on d.user_id = p.user_id
  where case when p.destination_id is not null then d.id = p.destination_id
    else d.state = 'active' and d.id is distinct from p.except_destination_id and case
      when p.type in ('article', 'group') then d.has_articles
      when p.type = 'purchase' then d.has_purchases
      when p.type = 'account' then d.has_account
      when p.type = 'digest' then d.has_summary or (d.has_purchases and p.has_purchases)
      -- A pending bank confirmation goes to all destinations, but to mail only if there is no other.
      when p.type = 'bank' then d.channel <> 'courriel' or not exists (select 1 from alert_destinations o
        where o.user_id = d.user_id and o.channel <> 'courriel' and o.state = 'active')
      else false end
    end
  on conflict (destination_id, subject) do nothing
), links as (
  insert into alert_links (token_hash, user_id, listing_id, total_price_cents, expires_at_ms)
  select l.token_hash, l.user_id, l.listing_id, l.total_price_cents, l.expires_at_ms
  from json_to_recordset($2::json) as l (token_hash text, user_id text, listing_id bigint, total_price_cents int,
    expires_at_ms bigint)
  join users u on u.id = l.user_id
  on conflict do nothing
), counters as (
  insert into alert_settings (user_id, counters)
  select c.user_id, c.counters::json
  from json_to_recordset($3::json) as c (user_id text, counters text)
  join users u on u.id = c.user_id
  on conflict (user_id) do update set counters = excluded.counters
)
insert into alert_marks (key, value)
select m.key, m.value from json_to_recordset($4::json) as m (key text, value bigint)
on conflict (key) do update set value = greatest(alert_marks.value, excluded.value)
