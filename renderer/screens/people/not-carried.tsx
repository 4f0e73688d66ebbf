import { Link } from 'wouter'
import { useUpstreams } from '../../api/upstreams.ts'
import { t } from '../../strings/en.ts'
import { serverName } from '../../ui/person.tsx'
import { Notice } from '../../ui/states.tsx'

/** A hint for the owner if this server does not follow the server of a person. @param host its origin, once it is known */
export function NotCarried({ host }: { readonly host: string | undefined }) {
  const { data } = useUpstreams()
  if (!data || data.upstreams.some(({ url }) => url === host)) return null
  return (
    <Notice>
      {host === undefined ? t.people.unknownServer : t.people.notCarried(serverName(host) ?? host)}{' '}
      <Link href="/network">{t.people.notCarriedAction}</Link>
    </Notice>
  )
}
