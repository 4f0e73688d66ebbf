import { t } from '../../strings/en.ts'
import { formatDateTime } from '../../strings/format.ts'
import { CopyBlock } from '../../ui/copy.tsx'
import { Section } from '../../ui/page.tsx'

/** A token, and what it says. */
export function ServiceToken({ token }: { readonly token: string }) {
  const claims = claimsOf(token)
  return (
    <>
      <Section lead={t.serviceTokens.expires(formatDateTime(claims.exp))} title={t.serviceTokens.token}>
        <CopyBlock label={t.serviceTokens.copy} text={token} wrap />
      </Section>
      <Section title={t.serviceTokens.claims}>
        <CopyBlock label={t.serviceTokens.copyClaims} text={claims.text} />
      </Section>
    </>
  )
}

function claimsOf(token: string): { exp: string; text: string } {
  const payload = token.split('.')[1] ?? ''
  const claims: { exp: number } = JSON.parse(atob(payload.replace(/-/g, '+').replace(/_/g, '/')))
  return { exp: new Date(claims.exp * 1000).toISOString(), text: JSON.stringify(claims, null, 2) }
}
