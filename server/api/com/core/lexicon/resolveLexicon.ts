import type { LexMap } from '@atproto/lex-data'
import { lexToJson } from '@atproto/lex-json'
import { com } from '../../../../../lexicons/generated/index.ts'
import { lexiconMaxAgeMs } from '../../../../identity/did/lexicon-schemas.ts'
import { UnresolvableLexicon } from '../../../../identity/did/published-lexicons.ts'
import { perFiveMinutes } from '../../../../platform/config/rate-limits.ts'
import { XrpcError } from '../../../../platform/xrpc/xrpc-errors.ts'
import { requesterOf } from '../../../../util/requester.ts'
import { method } from '../../../method.ts'

export const resolveLexicon = method(com.core.lexicon.resolveLexicon, {
  auth: 'optional',
  // Each call decodes a record of others, which may cost 50 ms.
  limits: [perFiveMinutes(120, 'address')],
  async handler({ params, auth, caller, config, identity, fail }) {
    if (config.plcUrl === undefined)
      throw fail('LexiconNotFound', 'No directory is configured, so that no lexicons are looked up')
    const requester = requesterOf(caller, auth?.did)
    const found = await identity
      .resolveLexicon(params.nsid, { requester, maxAgeMs: lexiconMaxAgeMs })
      .catch((error: unknown) => {
        if (!(error instanceof UnresolvableLexicon)) throw error
        throw error.isBusy
          ? new XrpcError('NotEnoughResources', 'Too many look-ups of lexicons are under way', {
              retryAfter: 5,
            })
          : fail('LexiconNotFound', `The lexicon cannot be read: ${error.message}`)
      })
    const { uri, cid, document } = found
    return { uri, cid, schema: lexToJson(document) as LexMap }
  },
})
