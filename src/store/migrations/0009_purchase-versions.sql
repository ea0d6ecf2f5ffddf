CREATE TABLE "switch_state" (
	"id" boolean PRIMARY KEY NOT NULL,
	"version" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "buying_accounts" ADD COLUMN "version" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "purchases" ADD COLUMN "revision" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
INSERT INTO "switch_state" VALUES (true, 0);--> statement-breakpoint
INSERT INTO "buying_accounts" ("user_id") SELECT "id" FROM "users" ON CONFLICT DO NOTHING;--> statement-breakpoint
-- The triggers below raise the versions by which a write recognises that its decision is out of date. They are triggers so
-- that no statement, of this product or by hand, can forget to.
CREATE FUNCTION "raise_revision"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."revision" := OLD."revision" + 1;
  RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "purchases_revision"
  BEFORE UPDATE OF "state", "hold_cents", "lease_owner", "due_at_ms", "updated_at_ms", "is_hidden" ON "purchases"
  FOR EACH ROW EXECUTE FUNCTION "raise_revision"();--> statement-breakpoint
CREATE FUNCTION "raise_switch_version"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "switch_state" SET "version" = "version" + 1;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "stop_switches_version" AFTER INSERT OR UPDATE OR DELETE ON "stop_switches"
  FOR EACH STATEMENT EXECUTE FUNCTION "raise_switch_version"();--> statement-breakpoint
CREATE FUNCTION "raise_own_version"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."version" := OLD."version" + 1;
  RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "buying_accounts_version" BEFORE UPDATE ON "buying_accounts" FOR EACH ROW
  WHEN (NEW."version" = OLD."version"
    AND (NEW."is_stopped", NEW."paused_until_ms") IS DISTINCT FROM (OLD."is_stopped", OLD."paused_until_ms"))
  EXECUTE FUNCTION "raise_own_version"();--> statement-breakpoint
CREATE FUNCTION "make_buying_account"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "buying_accounts" ("user_id") VALUES (NEW."id") ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "users_buying_account" AFTER INSERT ON "users"
  FOR EACH ROW EXECUTE FUNCTION "make_buying_account"();--> statement-breakpoint
CREATE FUNCTION "raise_version_of_user"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "buying_accounts" SET "version" = "version" + 1 WHERE "user_id" = NEW."id";
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "users_version" AFTER UPDATE ON "users" FOR EACH ROW
  WHEN ((NEW."plan", NEW."plan_ends_at_ms", NEW."is_suspended")
    IS DISTINCT FROM (OLD."plan", OLD."plan_ends_at_ms", OLD."is_suspended"))
  EXECUTE FUNCTION "raise_version_of_user"();--> statement-breakpoint
CREATE FUNCTION "raise_version_of_owner"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "buying_accounts" SET "version" = "version" + 1 WHERE "user_id" = NEW."user_id";
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "settings_made_version" AFTER INSERT ON "settings"
  FOR EACH ROW EXECUTE FUNCTION "raise_version_of_owner"();--> statement-breakpoint
CREATE TRIGGER "settings_version" AFTER UPDATE ON "settings"
  FOR EACH ROW WHEN (NEW.* IS DISTINCT FROM OLD.*) EXECUTE FUNCTION "raise_version_of_owner"();--> statement-breakpoint
CREATE TRIGGER "marketplace_accounts_made_version" AFTER INSERT ON "marketplace_accounts"
  FOR EACH ROW EXECUTE FUNCTION "raise_version_of_owner"();--> statement-breakpoint
CREATE TRIGGER "marketplace_accounts_version" AFTER UPDATE ON "marketplace_accounts" FOR EACH ROW
  WHEN ((NEW."state", NEW."generation") IS DISTINCT FROM (OLD."state", OLD."generation"))
  EXECUTE FUNCTION "raise_version_of_owner"();--> statement-breakpoint
-- For each statement: a person may have hundreds of filters, all of which change when the mandate is withdrawn.
CREATE FUNCTION "raise_version_of_owners"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "buying_accounts" SET "version" = "version" + 1 WHERE "user_id" IN (SELECT "user_id" FROM "changed");
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "filters_made_version" AFTER INSERT ON "filters" REFERENCING NEW TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "raise_version_of_owners"();--> statement-breakpoint
CREATE TRIGGER "filters_removed_version" AFTER DELETE ON "filters" REFERENCING OLD TABLE AS "changed"
  FOR EACH STATEMENT EXECUTE FUNCTION "raise_version_of_owners"();--> statement-breakpoint
-- A copy by another person changes the count of copies alone.
CREATE FUNCTION "raise_version_of_filter_owners"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "buying_accounts" SET "version" = "version" + 1 WHERE "user_id" IN (
    SELECT "n"."user_id" FROM "new_rows" "n" JOIN "old_rows" "o" USING ("id")
    WHERE "n"."copies" = "o"."copies" OR "n"."is_autobuy" <> "o"."is_autobuy");
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "filters_version" AFTER UPDATE ON "filters"
  REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows"
  FOR EACH STATEMENT EXECUTE FUNCTION "raise_version_of_filter_owners"();
