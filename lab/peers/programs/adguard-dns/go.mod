module example/adguard-dns

go 1.23.2

require (
	github.com/AdguardTeam/urlfilter v0.20.0
	github.com/miekg/dns v1.1.61
)

require (
	github.com/AdguardTeam/golibs v0.29.0 // indirect
	golang.org/x/exp v0.0.0-20240909161429-701f63a606c0 // indirect
	golang.org/x/mod v0.21.0 // indirect
	golang.org/x/net v0.29.0 // indirect
	golang.org/x/sync v0.8.0 // indirect
	golang.org/x/sys v0.25.0 // indirect
	golang.org/x/tools v0.25.0 // indirect
)
