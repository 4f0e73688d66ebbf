import type { NsidString } from '@atproto/lex-schema'
import { useMutation } from '@tanstack/react-query'
import { com } from '../../../lexicons/generated/index.ts'
import { callAs } from '../../api/client.ts'
import { claimsOf } from '../../api/jwt.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { formatDateTime } from '../../strings/format.ts'
import { CopyBlock } from '../../ui/copy.tsx'
import { Field, SelectField } from '../../ui/field.tsx'
import type { Fields } from '../../ui/form.tsx'
import { BackLink } from '../../ui/links.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { PanelForm } from '../../ui/panel-form.tsx'

export function ServiceTokensScreen() {
  return (
    <Page
      before={<BackLink href="/account" name={t.nav.account} />}
      lead={t.serviceTokens.lead}
      title={t.serviceTokens.title}
    >
      <ServiceTokenForm />
    </Page>
  )
}

interface ServiceTokenFormProps {
  /** Set if the session allows tokens for one method only. */
  readonly onlyMethod?: string
}

/** Creates a service token and shows it. */
export function ServiceTokenForm({ onlyMethod }: ServiceTokenFormProps) {
  const { did } = useSession()
  const create = useMutation({
    mutationFn: (field: Fields) => {
      const [aud, lxm, seconds] = [field('aud').trim(), field('lxm').trim(), field('seconds')]
      const exp = Math.floor(Date.now() / 1000) + Number(seconds)
      const more = seconds === '60' ? {} : { exp }
      const params = { aud, ...(lxm === '' ? {} : { lxm: lxm as NsidString }), ...more }
      return callAs(did, com.core.server.getServiceAuth, { params })
    },
  })
  return (
    <>
      <PanelForm
        action={t.serviceTokens.submit}
        busy={create.isPending}
        error={create.error}
        onSubmit={create.mutate}
      >
        <Field
          hint={t.serviceTokens.audHint}
          label={t.serviceTokens.aud}
          mono
          name="aud"
          pattern={String.raw`\s*did:[a-z]+:.+`}
          placeholder={t.serviceTokens.audExample}
          required
          title={t.serviceTokens.audInvalid}
        />
        <Field
          defaultValue={onlyMethod}
          hint={onlyMethod === undefined && t.serviceTokens.lxmHint}
          label={t.serviceTokens.lxm}
          mono
          name="lxm"
          pattern={String.raw`\s*[a-zA-Z0-9\-]+(\.[a-zA-Z0-9\-]+){2,}\s*`}
          readOnly={onlyMethod !== undefined}
          title={t.serviceTokens.lxmInvalid}
        />
        <SelectField
          hint={t.serviceTokens.lifetimeHint}
          label={t.serviceTokens.lifetime}
          name="seconds"
          options={t.serviceTokens.lifetimes}
        />
      </PanelForm>
      {create.data && <ServiceToken token={create.data.token} />}
    </>
  )
}

/** A token and its claims. */
function ServiceToken({ token }: { readonly token: string }) {
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
