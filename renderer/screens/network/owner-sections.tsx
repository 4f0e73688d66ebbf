import { useEffect, useRef, useState } from 'react'
import { com } from '../../../lexicons/generated/index.ts'
import { useIsOwner } from '../../api/account.ts'
import type { Body } from '../../api/client.ts'
import { serverState } from '../../api/desktop.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { desktop } from '../../bridge.ts'
import { StartCommand } from '../../parts/network/start-command.tsx'
import { useStore } from '../../store.ts'
import { t } from '../../strings/en.ts'
import { CopyField } from '../../ui/copy.tsx'
import { FoldedSection, Panel, Row, Section } from '../../ui/page.tsx'
import { Loaded, Notice } from '../../ui/states.tsx'
import { BacklinksSection } from './backlinks-section.tsx'
import { DoctorSection } from './doctor-section.tsx'
import { FriendsSection } from './friends-section.tsx'
import { OutgoingSection, RefusedSection } from './outgoing-section.tsx'
import { type ProxyName, ProxySection } from './proxy-section.tsx'
import { RelaysSection } from './relays-section.tsx'
import { RemoteRecordsSection } from './remote-records-section.tsx'
import { SeenSection } from './seen-section.tsx'
import { UpstreamsSection } from './upstreams-section.tsx'
import { WayList } from './ways.tsx'

export type Network = Body<typeof com.core.admin.getNetwork.main>

/** The state of the server, which only its owner may read. */
export function OwnerSections() {
  return useIsOwner() ? <OfOwner /> : <Notice>{t.network.signIn}</Notice>
}

function OfOwner() {
  const query = useXrpcQuery(com.core.admin.getNetwork, {}, { staleTime: 0 })
  const { refetch } = query
  const state = useStore(serverState)
  const since = state?.kind === 'running' ? state.since : undefined
  const lastStart = useRef(since)
  // A restart of the embedded server applies changed settings.
  useEffect(() => {
    if (since !== undefined && since !== lastStart.current) void refetch()
    lastStart.current = since ?? lastStart.current
  }, [since, refetch])
  const [proxy, setProxy] = useState<ProxyName>('caddy')
  return (
    <Loaded query={query} rows={6}>
      {(network) => (
        <>
          <OutgoingSection network={network} />
          {!desktop && <WayList network={network} />}
          {network.addresses.length > 0 && <LocalAddresses addresses={network.addresses} />}
          {network.publicUrl !== undefined && (
            <DoctorSection network={network} proxy={proxy} publicUrl={network.publicUrl} />
          )}
          {network.publicUrl !== undefined && <SeenSection events={network.events} />}
          {network.way === 'localNetwork' && <FriendsSection />}
          <UpstreamsSection />
          <RemoteRecordsSection usage={network.remoteRecords} />
          <RefusedSection refused={network.refused} />
          {network.publicUrl !== undefined && (
            <ProxySection network={network} onChange={setProxy} proxy={proxy} publicUrl={network.publicUrl} />
          )}
          {!desktop && <TrustedPages network={network} />}
          {network.relays.length > 0 && <RelaysSection relays={network.relays} />}
          <BacklinksSection backlinks={network.backlinks} />
        </>
      )}
    </Loaded>
  )
}

/** They can be read only: a server of a command line gets them at its start. */
function TrustedPages({ network }: { readonly network: Network }) {
  const { trustedOrigins: origins } = network
  if (origins.length === 0) {
    return (
      <FoldedSection lead={t.network.pagesLead} title={t.network.pages}>
        <p>{t.network.pagesStart}</p>
        <StartCommand flags={{ 'trusted-origins': 'http://localhost:5173' }} network={network} />
      </FoldedSection>
    )
  }
  return (
    <Section lead={t.network.pagesEnd} title={t.network.pages}>
      <Panel>
        {origins.map((origin) => (
          <Row key={origin} title={origin} />
        ))}
      </Panel>
    </Section>
  )
}

function LocalAddresses({ addresses }: { readonly addresses: readonly string[] }) {
  return (
    <Section title={t.network.localAddresses}>
      <Panel>
        {addresses.map((address) => (
          <CopyField key={address} label={t.ui.copyAddress} name={t.connect.address} text={address} />
        ))}
      </Panel>
    </Section>
  )
}
