// A feed for a visitor who has none: adblock rules, together with lines of such a file that are not rules for hosts.

export const EXAMPLE_NAME = 'example-rules.txt';

export const EXAMPLE_FEED = `[Adblock Plus 2.0]
! Title: An example of a block list
! Its names are under .example, which nobody can register, but for one that the phishing list has too.
||free-gifts.example^
||login-bank.example^$all
||malware.example^$important
||tracker.example^$document,popup
||myetheerwallet.pw^
|https://shared-host.example/~eve/login.html|
||sites.example/view/lottery/^
||news.example^
@@||news.example^
@@||help.tracker.example^
||ads.example^$third-party
||video.example^$domain=~films.example
shop.example##.banner
magazine.example#@#.sponsored
/pop(up|under)[0-9]+/
||cdn*.example^
||photos.example/ads
||com^
`;
