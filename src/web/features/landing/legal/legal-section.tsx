import type { ReactNode } from "react";
import { useSupportEmail } from "../page-document.ts";

interface LegalSectionProps {
  readonly title: string;
  readonly children: ReactNode;
}

export function LegalSection({ title, children }: LegalSectionProps) {
  return (
    <section className="legal-section stack">
      <h2 className="legal-section__title wide-voice">{title}</h2>
      <div className="legal-section__text stack">{children}</div>
    </section>
  );
}

/** The operator's support address, inline in a sentence. */
export function SupportLink() {
  const email = useSupportEmail();
  return email === null ? <>l'adresse de support</> : <a href={`mailto:${email}`}>{email}</a>;
}

/** How long something is kept, inline in a sentence. @param props.days null: unknown */
export function DaysText({ days }: { readonly days: number | null }) {
  if (days === null) return <>le temps que l'exploitant a fixé</>;
  return days === 1 ? <>un jour</> : <>{days}&nbsp;jours</>;
}
