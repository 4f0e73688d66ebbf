import { Link } from 'wouter'
import { useUpstreams } from '../../api/upstreams.ts'
import { t } from '../../strings/en.ts'
import { serverName } from '../../ui/person.tsx'
import { Notice } from '../../ui/states.tsx'

interface NotCarriedProps {
  /** Origin of the server of a person elsewhere, once it is known. */
  readonly host: string | undefined
}

/** A hint for the owner if this server does not follow the server of a person. */
export function NotCarried({ host }: NotCarriedProps) {
  if (useIsFollowed(host)) return null
  return (
    <Notice>
      <NotCarriedText host={host} />
    </Notice>
  )
}

/** The same as a line of text. */
export function NotCarriedLine({ host }: NotCarriedProps) {
  if (useIsFollowed(host)) return null
  return (
    <p>
      <NotCarriedText host={host} />
    </p>
  )
}

function NotCarriedText({ host }: NotCarriedProps) {
  return (
    <>
      {host === undefined ? t.people.unknownServer : t.people.notCarried(serverName(host) ?? host)}{' '}
      <Link href="/network">{t.people.notCarriedAction}</Link>
    </>
  )
}

/** Whether this server follows that one, as far as the account may know. */
function useIsFollowed(host: string | undefined): boolean {
  const { data } = useUpstreams()
  return !data || data.upstreams.some(({ url }) => url === host)
}
