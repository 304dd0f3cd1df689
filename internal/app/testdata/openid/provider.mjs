// An OpenID provider for one client. It prints its issuer, reads the client's redirect
// URI from standard input, and signs in whoever gives a name, with any password.
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { Provider } from 'oidc-provider';

const server = createServer((request, response) => provider.callback()(request, response));
let provider;
server.listen(0, '127.0.0.1', async () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  console.log(issuer);
  for await (const redirect of createInterface({ input: process.stdin })) {
    provider = new Provider(issuer, {
      clients: [{ client_id: 'dropyard', client_secret: 'a secret of this test only', redirect_uris: [redirect] }],
      pkce: { required: () => true },
      scopes: ['openid', 'email', 'profile', 'groups'],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
      findAccount: (_, id) => ({
        accountId: id,
        claims: () => ({ sub: id, email: `${id}@example.com`, email_verified: true, groups: ['staff', 'dispatcher'] }),
      }),
    });
    console.log('ready');
  }
});
