import { configurations, type ProxyName } from '../../strings/en/network-fixes.ts'
import { t } from '../../strings/en.ts'
import { Choices } from '../../ui/choices.tsx'
import { CopyBlock } from '../../ui/copy.tsx'
import { FoldedSection } from '../../ui/page.tsx'
import type { Network } from './owner-sections.tsx'

export type { ProxyName }

interface ProxySectionProps {
  readonly network: Network
  readonly publicUrl: string
  readonly proxy: ProxyName
  onChange(proxy: ProxyName): void
}

/** The configuration of a reverse proxy, with the names and ports of this server. */
export function ProxySection({ network, publicUrl, proxy, onChange }: ProxySectionProps) {
  return (
    <FoldedSection lead={t.network.proxyLead} title={t.network.proxy}>
      <Choices label={t.network.proxy} onChange={onChange} options={t.network.proxies} value={proxy} />
      <p>{t.network.proxyNotes[proxy]}</p>
      <CopyBlock
        label={t.network.copyConfiguration}
        text={configurations[proxy](serverOf(network, publicUrl))}
      />
    </FoldedSection>
  )
}

/** Values for the placeholders of configurations. */
export function serverOf({ port, proxyPort, blobUploadLimit }: Network, publicUrl: string) {
  return {
    host: new URL(publicUrl).hostname,
    port: proxyPort ?? port,
    megabytes: Math.ceil(blobUploadLimit / 1_000_000),
  }
}
