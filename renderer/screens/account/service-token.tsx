import { claimsOf } from '../../api/jwt.ts'
import { t } from '../../strings/en.ts'
import { formatDateTime } from '../../strings/format.ts'
import { CopyBlock } from '../../ui/copy.tsx'
import { Section } from '../../ui/page.tsx'

/** A token and its claims. */
export function ServiceToken({ token }: { readonly token: string }) {
  const claims = claimsOf<{ readonly exp: number }>(token)
  const expiresAt = formatDateTime(new Date(claims.exp * 1000).toISOString())
  return (
    <>
      <Section lead={t.serviceTokens.expires(expiresAt)} title={t.serviceTokens.token}>
        <CopyBlock label={t.serviceTokens.copy} text={token} wrap />
      </Section>
      <Section title={t.serviceTokens.claims}>
        <CopyBlock label={t.serviceTokens.copyClaims} text={JSON.stringify(claims, null, 2)} />
      </Section>
    </>
  )
}
