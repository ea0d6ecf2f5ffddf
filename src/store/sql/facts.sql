-- FACTS: everything that a decision about a person's money depends on, in one snapshot and without a lock.
-- $1: the questions (operations.ts), one per person: a purchase, or the listing and filter of a wish.
-- Returns one document per question, with bytea values in base64.
with asked as (
  select q.n, q.user_id, q.purchase_id, q.now_ms, p.mode as purchase_mode, p.group_id as purchase_group_id,
    coalesce(p.listing_id, q.listing_id) as listing_id, coalesce(p.filter_id, q.filter_id) as filter_id,
    coalesce(p.seller_id, q.seller_id) as seller_id, coalesce(p.seller_login, q.seller_login) as seller_login,
    coalesce(p.day_key, q.day_key) as day_key, coalesce(p.month_key, q.month_key) as month_key
  from json_to_recordset($1::json) as q (
    n int, user_id text, purchase_id text, listing_id bigint, seller_id bigint, seller_login text, filter_id text,
    day_key text, month_key text, now_ms bigint)
  left join purchases p on p.id = q.purchase_id and p.user_id = q.user_id
)
select a.n, json_build_object(
  'versions', json_build_object('person', b.version, 'switches', (select version from switch_state)),
  'user', case when u.id is not null then json_build_object(
    'plan', u.plan, 'planEndsAtMs', u.plan_ends_at_ms, 'isSuspended', u.is_suspended) end,
  'wrappedDataKey', encode(u.wrapped_data_key, 'base64'),
  'saved', case when s.user_id is not null then json_build_object(
    'userId', s.user_id, 'paymentMethodId', s.payment_method_id,
    'sealedAddress', encode(s.sealed_address, 'base64'),
    'sealedPickupPoints', encode(s.sealed_pickup_points, 'base64'),
    'dayEur', s.day_eur, 'monthEur', s.month_eur, 'purchasesPerDay', s.purchases_per_day, 'isStopped', s.is_stopped,
    'isPrudent', s.is_prudent, 'mandateVersion', s.mandate_version, 'mandatedAtMs', s.mandated_at_ms) end,
  'account', case when m.user_id is not null then json_build_object(
    'userId', m.user_id, 'state', m.state, 'generation', m.generation,
    'sealedRefreshToken', encode(m.sealed_refresh_token, 'base64'),
    'sealedAccessToken', encode(m.sealed_access_token, 'base64'),
    'accessExpiresAtMs', m.access_expires_at_ms, 'connectedAtMs', m.connected_at_ms,
    'ordersSinceMs', m.orders_since_ms, 'askedToWaitUntilMs', m.asked_to_wait_until_ms) end,
  'filter', case when f.id is not null then json_build_object(
    'isActive', f.is_active, 'isAutobuy', f.is_autobuy, 'isSimulation', f.is_simulation,
    'priceCapEur', f.price_cap_eur, 'priceFloorEur', f.price_floor_eur, 'bargainPercent', f.bargain_percent, 'maxPurchases', f.max_purchases,
    'paymentMethodId', f.payment_method_id, 'activatedAtMs', f.activated_at_ms,
    'criteriaSinceMs', f.criteria_since_ms, 'rules', f.rules) end,
  'spending', json_build_object(
    'isEveryoneStopped', exists (select 1 from stop_switches where is_on),
    -- A suspended person's account counts as stopped: nothing more is paid.
    'isAccountStopped', coalesce(b.is_stopped or b.paused_until_ms > a.now_ms or u.is_suspended, true),
    'mandateVersion', s.mandate_version,
    'day', (select json_build_object('heldCents', held_cents, 'capturedCents', captured_cents, 'extraCents', extra_cents,
      'purchases', purchases) from budgets where user_id = a.user_id and period = a.day_key),
    'month', (select json_build_object('heldCents', held_cents, 'capturedCents', captured_cents, 'extraCents', extra_cents,
      'purchases', purchases) from budgets where user_id = a.user_id and period = a.month_key),
    -- Within the last ten minutes, and since the person last switched automatic purchases back on.
    'recentUnknownOutcomes', (select count(*) from purchase_attempts t where t.user_id = a.user_id
      and t.outcome = 'unknown' and t.ended_at_ms > greatest(a.now_ms - 600000, s.resumed_at_ms))),
  'own', (select json_agg(p order by p.epoch desc) from purchases p
    where p.user_id = a.user_id and p.listing_id = a.listing_id),
  'beingPaidCount', (select count(*) from purchases p where p.user_id = a.user_id
    and p.mode = 'live' and p.state in ('intent', 'submitting', 'unknown')),
  'awaitingCount', (select count(*) from purchases p where p.user_id = a.user_id
    and p.mode = 'live' and p.state = 'awaiting'),
  -- The predicate of the unique index purchases_one_live_per_listing.
  'rivalState', (select p.state from purchases p where p.listing_id = a.listing_id
    and p.mode = 'live' and p.source <> 'external' and p.state not in ('failed', 'cancelled')),
  -- By the seller's id; by login if the entry has no id.
  'isSellerBlocked', exists (select 1 from blocked_sellers k where k.user_id = a.user_id
    and (k.seller_id = a.seller_id or (k.seller_id is null and k.folded_login = a.seller_login))),
  -- Purchases in the mode of the wish that are neither failed nor cancelled, without the one asked about;
  -- "paid": those among them whose order is known to be paid.
  'ruleFacts', json_build_object(
    'group', case when g.id is not null then json_build_object(
      'id', g.id, 'maxPurchases', g.max_purchases, 'budgetEur', g.budget_eur) end,
    'taken', json_build_object(
      'groupCount', of_group.n, 'groupCents', of_group.cents, 'filterCount', of_filter.n, 'filterCents', of_filter.cents,
      'filterDayCents', of_filter.day_cents, 'latestAtMs', of_filter.latest_at_ms, 'sellerCount', of_seller.n),
    'paid', json_build_object(
      'groupCount', of_group.paid_n, 'groupCents', of_group.paid_cents, 'filterCount', of_filter.paid_n,
      'filterCents', of_filter.paid_cents, 'filterDayCents', of_filter.paid_day_cents,
      'latestAtMs', of_filter.paid_latest_at_ms, 'sellerCount', of_seller.paid_n))
) as facts
from asked a
left join buying_accounts b on b.user_id = a.user_id
left join users u on u.id = a.user_id
left join settings s on s.user_id = a.user_id
left join marketplace_accounts m on m.user_id = a.user_id
left join filters f on f.id = a.filter_id and f.user_id = a.user_id
cross join lateral (select
  coalesce(a.purchase_mode, case when f.is_simulation then 'simulation' else 'live' end) as mode,
  case when a.purchase_id is null then f.group_id else a.purchase_group_id end as group_id) w
left join groups g on g.id = w.group_id and g.user_id = a.user_id
cross join lateral (
  select count(*) as n, coalesce(sum(k.cents), 0) as cents,
    count(*) filter (where k.is_paid) as paid_n, coalesce(sum(k.cents) filter (where k.is_paid), 0) as paid_cents
  from (select p.hold_cents + coalesce(p.charged_cents, 0) as cents,
      p.state in ('confirmed', 'cancelling', 'cancel_unknown') as is_paid
    from purchases p where p.group_id = g.id and p.mode = w.mode
      and p.state not in ('failed', 'cancelled') and p.id is distinct from a.purchase_id) k
) of_group
cross join lateral (
  select count(*) as n, coalesce(sum(k.cents), 0) as cents,
    coalesce(sum(k.cents) filter (where k.day_key = a.day_key), 0) as day_cents, max(k.decided_at_ms) as latest_at_ms,
    count(*) filter (where k.is_paid) as paid_n, coalesce(sum(k.cents) filter (where k.is_paid), 0) as paid_cents,
    coalesce(sum(k.cents) filter (where k.is_paid and k.day_key = a.day_key), 0) as paid_day_cents,
    max(k.decided_at_ms) filter (where k.is_paid) as paid_latest_at_ms
  from (select p.hold_cents + coalesce(p.charged_cents, 0) as cents, p.day_key, p.decided_at_ms,
      p.state in ('confirmed', 'cancelling', 'cancel_unknown') as is_paid
    from purchases p where p.filter_id = f.id and p.mode = w.mode
      and p.state not in ('failed', 'cancelled') and p.id is distinct from a.purchase_id) k
) of_filter
-- Counted only for filters with such a rule.
cross join lateral (
  select count(*) as n, count(*) filter (where p.state in ('confirmed', 'cancelling', 'cancel_unknown')) as paid_n
  from purchases p where p.user_id = a.user_id and p.seller_id = a.seller_id and p.day_key = a.day_key
    and p.mode = w.mode and p.state not in ('failed', 'cancelled') and p.id is distinct from a.purchase_id
    and (f.rules ->> 'perSellerAndDay') is not null
) of_seller
