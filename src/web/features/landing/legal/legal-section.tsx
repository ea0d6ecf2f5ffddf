import type { ReactNode } from "react";

interface LegalSectionProps {
  readonly title: string;
  readonly children: ReactNode;
}

export function LegalSection({ title, children }: LegalSectionProps) {
  return (
    <section className="legal-section">
      <h2 className="legal-section__title">{title}</h2>
      <div className="legal-section__text">{children}</div>
    </section>
  );
}
