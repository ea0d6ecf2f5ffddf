CREATE TABLE "standing_changes" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"user_key" text NOT NULL,
	"transaction" bigint NOT NULL,
	"at_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "standing_changes_by_transaction" ON "standing_changes" USING btree ("transaction");--> statement-breakpoint
CREATE FUNCTION "note_standing_of_user"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "standing_changes" ("user_key", "transaction", "at_ms")
  VALUES (md5(OLD."id"), pg_current_xact_id()::text::bigint, extract(epoch from clock_timestamp()) * 1000);
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "users_standing" AFTER UPDATE ON "users" FOR EACH ROW
  WHEN ((NEW."plan", NEW."plan_ends_at_ms", NEW."is_suspended")
    IS DISTINCT FROM (OLD."plan", OLD."plan_ends_at_ms", OLD."is_suspended"))
  EXECUTE FUNCTION "note_standing_of_user"();--> statement-breakpoint
CREATE FUNCTION "note_ended_sessions"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "standing_changes" ("user_key", "transaction", "at_ms")
  SELECT DISTINCT md5("user_id"), pg_current_xact_id()::text::bigint, extract(epoch from clock_timestamp()) * 1000
  FROM "ended";
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "sessions_standing" AFTER DELETE ON "sessions" REFERENCING OLD TABLE AS "ended"
  FOR EACH STATEMENT EXECUTE FUNCTION "note_ended_sessions"();
