CREATE TABLE "archive_blocks" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"day" text NOT NULL,
	"example" bigint NOT NULL,
	"sorted" boolean NOT NULL,
	"versions" integer NOT NULL,
	"first_ms" bigint NOT NULL,
	"last_ms" bigint NOT NULL,
	"leaf_ids" integer[] NOT NULL,
	"data" "bytea" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "archive_days" (
	"day" text PRIMARY KEY NOT NULL,
	"coverage" json NOT NULL
);
--> statement-breakpoint
CREATE TABLE "archive_tail" (
	"seq" bigserial PRIMARY KEY NOT NULL,
	"versions" integer NOT NULL,
	"data" "bytea" NOT NULL
);
--> statement-breakpoint
ALTER TABLE "filters" ADD COLUMN "bargain_percent" smallint;--> statement-breakpoint
ALTER TABLE "missed_wishes" ADD COLUMN "standing" json;--> statement-breakpoint
ALTER TABLE "purchase_origins" ADD COLUMN "usual_cents" integer;--> statement-breakpoint
ALTER TABLE "purchase_origins" ADD COLUMN "usual_sample" integer;--> statement-breakpoint
ALTER TABLE "settings" ADD COLUMN "is_prudent" boolean DEFAULT true NOT NULL;--> statement-breakpoint
CREATE INDEX "archive_blocks_by_day" ON "archive_blocks" USING btree ("day","id");