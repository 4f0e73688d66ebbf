import { com } from '../../../../../lexicons/generated/index.ts'
import { probeBytes } from '../../../../operation/doctor/probes.ts'
import { method } from '../../../method.ts'

export const receiveProbe = method(com.core.server.receiveProbe, {
  auth: 'none',
  maxBody: probeBytes,
  async handler({ params, input, headers, caller, operation: { doctor }, fail }) {
    const { nonce } = params
    if (!doctor.probes.has(nonce)) throw fail('ProbeNotFound', 'This server has sent no such probe')
    let bytes = 0
    for await (const chunk of input.body) bytes += chunk.length
    const forwardedFor = headers['x-forwarded-for']?.toString()
    doctor.probes.arrive(nonce, { caller, host: headers.host, forwardedFor, bytes })
    return { bytes }
  },
})
