import { useQuery } from '@tanstack/react-query'
import { com } from '../../../lexicons/generated/index.ts'
import { errorName } from '../../api/call-errors.ts'
import { call } from '../../api/client.ts'
import { useSession } from '../../api/sessions.ts'
import { t } from '../../strings/en.ts'
import { Button } from '../../ui/button.tsx'
import { CopyField } from '../../ui/copy.tsx'
import { useDebounced } from '../../ui/debounced.ts'
import { Field } from '../../ui/field.tsx'
import { Panel } from '../../ui/page.tsx'
import { Notice } from '../../ui/states.tsx'
import styles from './identity.module.css'

interface OwnDomainProps {
  readonly value: string
  readonly published: boolean
  onChange(domain: string): void
}

/** Whether a text has the form of a domain. */
export function isDomain(text: string): boolean {
  return domainShape.test(text)
}

const domainShape = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*$/

/** A domain of the account's holder, with the record or file to create there and the result of the check. */
export function OwnDomain({ value, published, onChange }: OwnDomainProps) {
  if (!published) return <Notice>{t.identity.ownUnpublished}</Notice>
  return (
    <>
      <Field
        exact
        hint={t.identity.ownHint}
        label={t.ui.domain}
        onChange={(event) => onChange(event.target.value.trim().toLowerCase().replace(/^@/, ''))}
        required
        value={value}
      />
      {isDomain(value) && <Proof handle={value} />}
    </>
  )
}

function Proof({ handle }: { readonly handle: string }) {
  const { did } = useSession()
  return (
    <>
      <p>{t.identity.prove}</p>
      <h3 className={styles.way}>{t.identity.dns}</h3>
      <Panel>
        <Part name={t.identity.dnsName} text={`_atproto.${handle}`} />
        <Part name={t.identity.dnsType} text="TXT" />
        <Part name={t.identity.dnsValue} text={`did=${did}`} />
      </Panel>
      <h3 className={styles.way}>{t.identity.file}</h3>
      <Panel>
        <Part name={t.identity.fileAddress} text={`https://${handle}/.well-known/atproto-did`} />
        <Part name={t.identity.fileContent} text={did} />
      </Panel>
      <Found did={did} handle={handle} />
    </>
  )
}

function Part({ name, text }: { readonly name: string; readonly text: string }) {
  return <CopyField label={t.identity.copy(name)} name={name} text={text} />
}

/** Whether the server finds the record or the file. */
function Found({ did, handle }: { readonly did: string; readonly handle: string }) {
  const asked = useDebounced(handle)
  const query = useQuery({
    queryKey: ['', 'DID of a domain', asked],
    queryFn: ({ signal }) => didOf(asked, signal),
    enabled: asked === handle,
  })
  const found = asked === handle ? query.data : undefined
  if (found === undefined || query.isFetching) return <p role="status">{t.identity.checking}</p>
  if (found === did) {
    return (
      <p className={styles.good} role="status">
        {t.identity.found(handle)}
      </p>
    )
  }
  return (
    <div className={styles.missing}>
      <p role="status">{found === null ? t.identity.notFound : t.identity.foundOther(found)}</p>
      <Button onClick={() => void query.refetch()} size="s">
        {t.ui.checkAgain}
      </Button>
    </div>
  )
}

/** Returns the DID that a domain names; null if it names none. */
async function didOf(handle: string, signal: AbortSignal): Promise<string | null> {
  try {
    const params = { handle: handle as `${string}.${string}` }
    return (await call(com.core.identity.resolveHandle, { params, signal })).did
  } catch (error) {
    if (errorName(error) === 'HandleNotFound') return null
    throw error
  }
}
