ALTER TABLE "settings" ADD COLUMN "mandate_version" integer;--> statement-breakpoint
ALTER TABLE "settings" ADD COLUMN "mandated_at_ms" bigint;--> statement-breakpoint
ALTER TABLE "purchases" ADD COLUMN "is_told" boolean DEFAULT true NOT NULL;--> statement-breakpoint
CREATE INDEX "purchases_untold" ON "purchases" USING btree ("updated_at_ms") WHERE not "purchases"."is_told";